/** Who has another name now: a session is known by its id, whatever its agent is called. Pure. */
import type { BoardAgent } from "../../../src/wire/shapes/board.ts";

type Agents = ReadonlyMap<
  string,
  { readonly sessions: readonly Pick<BoardAgent["sessions"][number], "id">[] }
>;
/** The agent of each session. */
export type Homes = ReadonlyMap<string, string>;

export interface Move {
  readonly from: string;
  readonly to: string;
}

export interface Moved {
  readonly homes: Homes;
  readonly moves: readonly Move[];
}

/** An agent that keeps one of its sessions is still the same, whoever left it. */
export function moved(before: Homes, agents: Agents): Moved {
  const homes = new Map<string, string>();
  // A new name may be known a moment before its sessions.
  for (const [id, name] of before) if (!agents.has(name)) homes.set(id, name);
  const stayed = new Set<string>();
  const left = new Map<string, string>();
  for (const [name, { sessions }] of agents) {
    for (const { id } of sessions) {
      const from = before.get(id);
      homes.set(id, name);
      if (from === name) stayed.add(name);
      else if (from !== undefined && !left.has(from)) left.set(from, name);
    }
  }
  const moves = [...left].map(([from, to]) => ({ from, to })).filter(({ from }) => !stayed.has(from));
  return { homes, moves };
}
