/** The agents as rows: which there are, which of them are asked for, and in which groups. Pure. */
import type { Hold } from "../../../src/core/message.ts";
import type { ReadinessKind } from "../../../src/core/readiness/readiness.ts";
import type { BoardAgent, BoardSession } from "../../../src/wire/shapes/board.ts";
import { TEXT } from "../strings.ts";

/** `turn`: it works without a terminal; `absent`: no program runs for it. */
export type RowState = ReadinessKind | "turn" | "absent";

/** In this order: first who can do nothing without the person. */
const STATES: readonly RowState[] = [
  "blocked",
  "busy",
  "turn",
  "starting",
  "idle",
  "unknown",
  "exited",
  "absent",
];

export const GROUPINGS = ["folder", "state", "parent", "none"] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface AgentRow {
  readonly kind: "agent";
  readonly key: string;
  readonly agent: BoardAgent;
  readonly session: BoardSession | undefined;
  readonly state: RowState;
  /** What a filter looks at. */
  readonly words: string;
}
export interface GroupRow {
  readonly kind: "group";
  readonly key: string;
  readonly title: string;
  readonly count: number;
}
export type Row = AgentRow | GroupRow;

const known = new WeakMap<BoardAgent, readonly AgentRow[]>();

/** One for each session; one for an agent that has none. An agent that did not change keeps its rows. */
export function rowsOf(agent: BoardAgent): readonly AgentRow[] {
  const before = known.get(agent);
  if (before !== undefined) return before;
  const { sessions, name } = agent;
  const rows = sessions.length === 0 ? [rowOf(agent, undefined, `agent/${name}`)] : [];
  const all = [...rows, ...sessions.map((session) => rowOf(agent, session, session.id))];
  known.set(agent, all);
  return all;
}

function rowOf(agent: BoardAgent, session: BoardSession | undefined, key: string): AgentRow {
  const state = stateOf(agent, session);
  const { headline, folder, branch, program, role, label } = session ?? {};
  const words = [
    agent.name,
    headline,
    folder,
    branch,
    program,
    role,
    label,
    TEXT.states[state],
    agent.paused ? TEXT.paused : "",
  ]
    .join(" ")
    .toLowerCase();
  return { kind: "agent", key, agent, session, state, words };
}

export function stateOf({ turns }: BoardAgent, session: BoardSession | undefined): RowState {
  if (session !== undefined && session.readiness !== "exited") return session.readiness;
  if (turns.length > 0) return "turn";
  return session === undefined ? "absent" : "exited";
}

/** Every word of it must be there. */
export function filtered(rows: readonly AgentRow[], filter: string): readonly AgentRow[] {
  const wanted = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return wanted.length === 0
    ? rows
    : rows.filter(({ words }) => wanted.every((word) => words.includes(word)));
}

/** Each group under its title. Rows keep their order within it. `all`: also those that a filter leaves out. */
export function grouped(
  rows: readonly AgentRow[],
  grouping: Grouping,
  all: readonly AgentRow[] = rows,
): readonly Row[] {
  if (grouping === "none") return rows;
  const nameOf = grouping === "parent" ? namesOfSessions(all) : String;
  const groups = new Map<string, AgentRow[]>();
  for (const row of rows) {
    const key = groupOf(row, grouping, nameOf);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups]
    .sort(([one], [other]) => orderOf(one, grouping) - orderOf(other, grouping) || (one < other ? -1 : 1))
    .flatMap(([key, members]): readonly Row[] => [
      { kind: "group", key: `group/${key}`, title: titleOf(key, grouping), count: members.length },
      ...members,
    ]);
}

function namesOfSessions(rows: readonly AgentRow[]): (id: string) => string {
  const names = new Map(rows.map(({ session, agent }) => [session?.id, agent.name]));
  return (id) => names.get(id) ?? id;
}

function groupOf(row: AgentRow, grouping: Grouping, nameOf: (id: string) => string): string {
  switch (grouping) {
    case "folder":
      return row.session?.folder ?? "";
    case "parent":
      return row.session?.parent === undefined ? "" : nameOf(row.session.parent);
    default:
      return row.state;
  }
}

/** Those without one come last; states have an order of their own. */
function orderOf(key: string, grouping: Grouping): number {
  return grouping === "state" ? STATES.indexOf(key as RowState) : key === "" ? 1 : 0;
}

function titleOf(key: string, grouping: Grouping): string {
  switch (grouping) {
    case "folder":
      return key === "" ? TEXT.noFolder : key;
    case "parent":
      return key === "" ? TEXT.startedByYou : TEXT.startedBy(key);
    default:
      return TEXT.states[key as RowState];
  }
}

/** What its headline adds to its name; a session without anything to say is headed by its id. */
export function ownHeadline(name: string, { headline, role, id }: BoardSession): string {
  return headline === name || headline === id ? (role ?? "") : headline;
}

/** A message that somebody holds back waits as in a paused queue; its agent is not paused by that. */
export function reasonOf({ reason }: Pick<Hold, "reason">, { paused }: Pick<BoardAgent, "paused">): string {
  return reason === "paused" && !paused ? TEXT.heldBack : TEXT.reasons[reason];
}

/** The last part of a path, which tells folders apart, and what is before it. */
export function folderParts(path: string): readonly [name: string, before: string] {
  const at = path.lastIndexOf("/");
  return at === -1 || at === path.length - 1 ? [path, ""] : [path.slice(at + 1), path.slice(0, at) || "/"];
}

/** The end of a path, which tells folders apart. */
export function shortFolder(folder: string): string {
  const parts = folder.split("/").filter(Boolean);
  return parts.length <= 2 ? folder : `…/${parts.slice(-2).join("/")}`;
}
