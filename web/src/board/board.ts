/**
 * The board as the page knows it: a snapshot, and every change since. Pure.
 *
 *   nothing ─▶ (snapshot) whole ─▶ (the next change) whole ─▶ (a change is missing) gap ─▶ (snapshot) whole
 */
import type { Board, BoardAgent, BoardChanges, BoardFrame } from "../../../src/wire/shapes/board.ts";

export interface BoardState extends Omit<Board, "agents"> {
  /** Of the last frame. */
  readonly seq: number;
  readonly agents: ReadonlyMap<string, BoardAgent>;
}

/** `gap`: a frame is missing, so that only a new snapshot tells how things are. */
export type Applied = { readonly kind: "whole"; readonly board: BoardState } | { readonly kind: "gap" };

export function apply(before: BoardState | undefined, frame: BoardFrame): Applied {
  if ("snapshot" in frame) {
    const { agents = [], ...rest } = frame.snapshot;
    return { kind: "whole", board: { ...rest, agents: byName(agents) } };
  }
  if (before === undefined || frame.changes.seq !== before.seq + 1) return { kind: "gap" };
  return { kind: "whole", board: changed(before, frame.changes) };
}

function byName(agents: readonly BoardAgent[]): ReadonlyMap<string, BoardAgent> {
  return new Map(agents.map((agent) => [agent.name, agent]));
}

function changed(before: BoardState, { agents, gone, ...rest }: BoardChanges): BoardState {
  if (agents === undefined && gone === undefined) return { ...before, ...rest };
  const next = new Map(before.agents);
  for (const name of gone ?? []) next.delete(name);
  for (const agent of agents ?? []) next.set(agent.name, agent);
  return { ...before, ...rest, agents: next };
}

/** In order of name, as a snapshot has them. */
export function agentsOf({ agents }: BoardState): readonly BoardAgent[] {
  return [...agents.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}
