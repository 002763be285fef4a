import type { AgentName, SessionId } from "../../../core/message.ts";
import type { StoredSession, StoreReader } from "../../../ports/store.ts";
import type { TerminalIdentity } from "../../../ports/terminal.ts";
import {
  FLAG,
  hasFields,
  isTexts,
  json,
  MARK,
  NUMBER,
  optional,
  SHOWN_TEXT,
  TEXT,
  text,
} from "../columns.ts";
import type { Connection } from "../connection.ts";
import { Table } from "../table.ts";
import { removeAutoRunsOf } from "../turns/auto-runs.ts";
import { SessionIndex } from "./session-index.ts";

const SESSIONS = new Table<StoredSession>({
  name: "sessions",
  key: "id",
  fields: {
    id: ["id", TEXT],
    agent: ["agent", TEXT],
    main: ["main", FLAG],
    program: ["program", TEXT],
    label: ["label", SHOWN_TEXT],
    title: ["title", SHOWN_TEXT],
    hooked: ["hooked", FLAG],
    startedAt: ["started_at", NUMBER],
    lastActiveAt: ["last_active_at", NUMBER],
    identity: ["identity", optional(json(isIdentity))],
    programSessionId: ["program_session_id", optional(TEXT)],
    transcriptPath: ["transcript_path", optional(TEXT)],
    version: ["version", optional(TEXT)],
    folder: ["folder", optional(TEXT)],
    branch: ["branch", optional(TEXT)],
    lastPrompt: ["last_prompt", optional(SHOWN_TEXT)],
    exitedAt: ["exited_at", optional(NUMBER)],
    name: ["name", optional(TEXT)],
    command: ["command", optional(json(isTexts))],
    role: ["role", optional(SHOWN_TEXT)],
    parent: ["parent", optional(TEXT)],
    owesFirstTurn: ["owes_first_turn", MARK],
    window: ["tmux_window", optional(json(isWindow))],
  },
});
const SELECT = `SELECT ${SESSIONS.selected} FROM sessions`;

export const sessionReads = {
  session,
  sessions,
  sessionByName,
  sessionByProgramId,
  sessionsOf,
  sessionsOfConversation,
  sessionsOfProcess,
  sessionsIn,
  sessionsStarting,
};
export const sessionWrites = { putSession, removeSession };

/** If another session of the agent has its name already, it is stored without the name. */
function putSession(connection: Connection, session: StoredSession): void {
  const { name, ...nameless } = session;
  connection
    .sql(
      `INSERT INTO sessions (${SESSIONS.columns}) VALUES (${SESSIONS.marks})
       ON CONFLICT (id) DO UPDATE SET ${SESSIONS.overwritten}`,
    )
    .run(...SESSIONS.values(isNameFree(connection, session) ? session : nameless));
  connection.memory.sessions?.stale.add(session.id);
}

function isNameFree(connection: Connection, { id, agent, name }: StoredSession): boolean {
  if (name === undefined) return true;
  const holder = connection.sql("SELECT id FROM sessions WHERE agent = ? AND name = ?").get(agent, name);
  return holder === undefined || text(holder, "id") === id;
}

export function moveSessions(connection: Connection, from: AgentName, to: AgentName): void {
  connection.sql("UPDATE sessions SET agent = ? WHERE agent = ?").run(to, from);
  delete connection.memory.sessions;
}

export function removeSessionsOf(connection: Connection, agent: AgentName): void {
  connection.sql("DELETE FROM sessions WHERE agent = ?").run(agent);
  delete connection.memory.sessions;
}

function removeSession(connection: Connection, id: SessionId): void {
  connection.sql("DELETE FROM sessions WHERE id = ?").run(id);
  removeAutoRunsOf(connection, [{ kind: "session", sessionId: id }]);
  connection.memory.sessions?.stale.add(id);
}

function session(connection: Connection, id: SessionId): StoredSession | undefined {
  if (connection.memory.sessions !== undefined) return knownSessions(connection).get(id);
  return readById(connection, id);
}

function readById(connection: Connection, id: SessionId): StoredSession | undefined {
  return SESSIONS.read(connection, connection.sql(`${SELECT} WHERE id = ?`).get(id));
}

export function sessionsOfAgent(connection: Connection, agent: AgentName): readonly SessionId[] {
  return connection
    .sql("SELECT id FROM sessions WHERE agent = ?")
    .all(agent)
    .map((row) => text(row, "id"));
}

function sessionByName(connection: Connection, agent: AgentName, name: string): StoredSession | undefined {
  if (connection.memory.sessions !== undefined) return knownSessions(connection).named(agent, name);
  return SESSIONS.read(connection, connection.sql(`${SELECT} WHERE agent = ? AND name = ?`).get(agent, name));
}

/** Live ones in order of start, then the others in order of end. */
function sessions(
  connection: Connection,
  { exitedSince }: Parameters<StoreReader["sessions"]>[0] = {},
): readonly StoredSession[] {
  const known = knownSessions(connection);
  return exitedSince === undefined ? known.live() : [...known.live(), ...known.exitedAfter(exitedSince)];
}

function sessionsOf(connection: Connection, agent: AgentName, most?: number): readonly StoredSession[] {
  const known = knownSessions(connection);
  return most === undefined ? known.ofAgent(agent) : known.latestOfAgent(agent, most);
}

function sessionsOfConversation(
  connection: Connection,
  program: string,
  programSessionId: string,
): readonly StoredSession[] {
  return knownSessions(connection).ofConversation(program, programSessionId);
}

function sessionsOfProcess(connection: Connection, agentPid: number): readonly StoredSession[] {
  return knownSessions(connection).ofProcess(agentPid);
}

function sessionsIn(connection: Connection, folder: string): readonly StoredSession[] {
  return knownSessions(connection).inFolder(folder);
}

const STARTING = "SELECT id FROM sessions WHERE id >= ? AND id < ? ORDER BY id";

/** Ids have only hexadecimal digits, so prefix + `g` sorts after all ids with the prefix. */
function sessionsStarting(connection: Connection, prefix: string): readonly StoredSession[] {
  const rows = connection.sql(STARTING).all(prefix, `${prefix}g`);
  return rows.flatMap((row) => session(connection, text(row, "id")) ?? []);
}

function knownSessions(connection: Connection): SessionIndex {
  connection.memory.sessions ??= {
    index: new SessionIndex(SESSIONS.readAll(connection, connection.sql(SELECT).all())),
    stale: new Set(),
  };
  const { index, stale } = connection.memory.sessions;
  for (const id of stale) {
    stale.delete(id);
    index.set(id, readById(connection, id));
  }
  return index;
}

/** The most recently active one, if several have it. */
function sessionByProgramId(
  connection: Connection,
  program: string,
  programSessionId: string,
): StoredSession | undefined {
  const row = connection
    .sql(`${SELECT} WHERE program = ? AND program_session_id = ? ORDER BY last_active_at DESC LIMIT 1`)
    .get(program, programSessionId);
  return SESSIONS.read(connection, row);
}

function isWindow(value: unknown): value is NonNullable<StoredSession["window"]> {
  return hasFields(value, { server: "string?" }) && isTexts(value.command);
}

function isIdentity(value: unknown): value is TerminalIdentity {
  return (
    hasFields(value, { server: "string", serverPid: "number", serverStartedAt: "string" }) &&
    hasFields(value, { pane: "string", panePid: "number", agentPid: "number", agentStartedAt: "string" }) &&
    (value.kind === "tmux" || value.kind === "pty")
  );
}
