/** One agent as the board shows it, whether or not its program runs. Read-only: the board asks it for who changed. */
import { agentAddress } from "../../core/address.ts";
import type { Address, AgentName, Instant, SessionId } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { type Agent, programShown } from "../../core/session.ts";
import { hasRun } from "../../core/successor.ts";
import { OPEN_TURN_STATES, type Turn } from "../../core/turns/turn.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { BoardAgent, BoardSession, BoardTurn } from "../../wire/shapes/board.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { Queries } from "./queries.ts";
import { isStillKept, shownComposer } from "./shown.ts";

/** Enough to find the last that ran. */
const LAST_ENDED = 8;

export interface BoardAgentParts extends Ground {
  readonly queries: Queries;
  /** Since when its readiness is what it is. */
  sinceOf(session: LiveSession): Instant;
  /** Whether a turn without a terminal would take what comes into this mailbox. */
  takesTurns(mailbox: Address): boolean;
  /** Grows with each change of its messages. */
  mailOf(agent: AgentName): number;
  /** What this turn did last. */
  lastStep(turnId: string): string | undefined;
}

/** `isFilled`: in which mailboxes something may wait; the others are not queried. */
export function boardAgent(
  { name, createdAt, origin, paused }: Agent,
  parts: BoardAgentParts,
  isFilled: (mailbox: Address) => boolean = () => true,
): BoardAgent {
  const { context, directory, queries, takesTurns } = parts;
  const { read } = context.store;
  const mailbox = agentAddress(name);
  const live = directory.of(name);
  const mailboxes = [
    ...new Set([...directory.currentAliases(mailbox), ...live.flatMap((one) => directory.mailboxesOf(one))]),
  ];
  const turns = read.turns({ agent: name, states: OPEN_TURN_STATES });
  const last = live.length === 0 ? lastOf(read.sessionsOf(name, LAST_ENDED)) : undefined;
  return {
    name,
    createdAt,
    origin,
    paused,
    mail: parts.mailOf(name),
    ...queries.waiting(mailboxes.filter(isFilled)),
    ...(takesTurns(mailbox) ? { takesTurns: true } : {}),
    turns: turns.map((turn) => boardTurn(turn, parts)),
    sessions: [
      ...live.map((session) => running(session, parts, isFilled)),
      ...(last === undefined ? [] : [ended(last, parts, isFilled)]),
    ],
  };
}

function lastOf(sessions: readonly StoredSession[]): StoredSession | undefined {
  return sessions.filter(hasRun).toSorted((a, b) => (b.exitedAt ?? 0) - (a.exitedAt ?? 0))[0];
}

function running(
  session: LiveSession,
  parts: BoardAgentParts,
  isFilled: (mailbox: Address) => boolean,
): BoardSession {
  return {
    ...parts.queries.listed(session, isFilled),
    startedAt: session.record.startedAt,
    since: parts.sinceOf(session),
    composer: shownComposer(session.lastReading),
    ...origins(session.record),
    drafts: draftsOf(session.record.id, parts),
  };
}

function ended(
  session: StoredSession,
  parts: BoardAgentParts,
  isFilled: (mailbox: Address) => boolean,
): BoardSession {
  const { id, agent, label, role, identity, command, exitedAt, lastActiveAt } = session;
  const kind = command === undefined ? identity?.kind : "pty";
  return {
    id,
    agent,
    label,
    program: programShown(session),
    terminal: kind === undefined ? null : { kind },
    readiness: "exited",
    ...parts.queries.waiting([`session/${id}`, agentAddress(agent)].filter(isFilled)),
    headline: parts.directory.headlineOf(session),
    ...present({ role }),
    startedAt: session.startedAt,
    since: exitedAt ?? lastActiveAt,
    ...origins(session),
    drafts: draftsOf(id, parts),
  };
}

function origins({
  folder,
  branch,
  parent,
  command,
  window,
}: StoredSession): Pick<BoardSession, "folder" | "branch" | "parent" | "restartable"> {
  const isOurs = command !== undefined || window !== undefined;
  return { ...present({ folder, branch, parent }), ...(isOurs ? { restartable: true } : {}) };
}

function draftsOf(sessionId: SessionId, { context }: BoardAgentParts): number {
  return context.store.read.keptDrafts({ sessionId }).filter(isStillKept).length;
}

function boardTurn(
  { id, sessionId, state, startedAt, runner }: Turn,
  { lastStep }: BoardAgentParts,
): BoardTurn {
  return { id, sessionId, state, startedAt, runner, ...present({ doing: lastStep(id) }) };
}
