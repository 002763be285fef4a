import type { AgentName, Instant, SessionId } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import type { StoredSession } from "../../../ports/store.ts";
import type { TerminalIdentity } from "../../../ports/terminal.ts";
import {
  decode,
  decodeAll,
  flag,
  isRecord,
  isTexts,
  number,
  optionalJson,
  optionalNumber,
  optionalText,
  text,
  toJson,
  withoutNul,
} from "../columns.ts";
import type { Connection, Row } from "../connection.ts";
import { SessionIndex } from "./session-index.ts";

const COLUMNS = `id, agent, main, program, identity, program_session_id, transcript_path, version, label, title,
  folder, branch, last_prompt, hooked, started_at, last_active_at, exited_at, name, command, role,
  parent, owes_first_turn, tmux_window`;

/** One that comes to an agent where another has its name already goes without it. */
export function putSession(connection: Connection, session: StoredSession): void {
  connection
    .sql(
      `INSERT INTO sessions (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET agent = excluded.agent, main = excluded.main, program = excluded.program,
         identity = excluded.identity, program_session_id = excluded.program_session_id,
         transcript_path = excluded.transcript_path, version = excluded.version, label = excluded.label,
         title = excluded.title, folder = excluded.folder, branch = excluded.branch,
         last_prompt = excluded.last_prompt, hooked = excluded.hooked, started_at = excluded.started_at,
         last_active_at = excluded.last_active_at, exited_at = excluded.exited_at, name = excluded.name,
         command = excluded.command, role = excluded.role, parent = excluded.parent,
         owes_first_turn = excluded.owes_first_turn, tmux_window = excluded.tmux_window`,
    )
    .run(
      session.id,
      session.agent,
      session.main,
      session.program,
      session.identity === undefined ? undefined : toJson(session.identity),
      session.programSessionId,
      session.transcriptPath,
      session.version,
      withoutNul(session.label),
      withoutNul(session.title),
      session.folder,
      session.branch,
      withoutNul(session.lastPrompt),
      session.hooked,
      session.startedAt,
      session.lastActiveAt,
      session.exitedAt,
      isNameFree(connection, session) ? session.name : undefined,
      session.command === undefined ? undefined : toJson(session.command),
      withoutNul(session.role),
      session.parent,
      session.owesFirstTurn ?? false,
      session.window === undefined ? undefined : toJson(session.window),
    );
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

export function removeSession(connection: Connection, id: SessionId): void {
  connection.sql("DELETE FROM sessions WHERE id = ?").run(id);
  connection.memory.sessions?.stale.add(id);
}

const BY_ID = `SELECT ${COLUMNS} FROM sessions WHERE id = ?`;

export function sessionById(connection: Connection, id: SessionId): StoredSession | undefined {
  if (connection.memory.sessions !== undefined) return knownSessions(connection).get(id);
  return readById(connection, id);
}

function readById(connection: Connection, id: SessionId): StoredSession | undefined {
  return decode(connection, "sessions", "id", connection.sql(BY_ID).get(id), readSession);
}

export function sessionsOfAgent(connection: Connection, agent: AgentName): readonly SessionId[] {
  return connection
    .sql("SELECT id FROM sessions WHERE agent = ?")
    .all(agent)
    .map((row) => text(row, "id"));
}

const BY_NAME = `SELECT ${COLUMNS} FROM sessions WHERE agent = ? AND name = ?`;

export function sessionByName(
  connection: Connection,
  agent: AgentName,
  name: string,
): StoredSession | undefined {
  return decode(connection, "sessions", "id", connection.sql(BY_NAME).get(agent, name), readSession);
}

/** In order of their start. */
export function liveSessions(connection: Connection): readonly StoredSession[] {
  return knownSessions(connection).live();
}

/** In order of their end. */
export function sessionsExitedAfter(connection: Connection, at: Instant): readonly StoredSession[] {
  return knownSessions(connection).exitedAfter(at);
}

export function sessionsOf(
  connection: Connection,
  agent: AgentName,
  most: number | undefined,
): readonly StoredSession[] {
  const known = knownSessions(connection);
  return most === undefined ? known.ofAgent(agent) : known.latestOfAgent(agent, most);
}

export function sessionsOfConversation(
  connection: Connection,
  program: string,
  programSessionId: string,
): readonly StoredSession[] {
  return knownSessions(connection).ofConversation(program, programSessionId);
}

export function sessionsOfProcess(connection: Connection, agentPid: number): readonly StoredSession[] {
  return knownSessions(connection).ofProcess(agentPid);
}

export function sessionsIn(connection: Connection, folder: string): readonly StoredSession[] {
  return knownSessions(connection).inFolder(folder);
}

const STARTING = "SELECT id FROM sessions WHERE id >= ? AND id < ? ORDER BY id";

/** An id has hexadecimal digits and nothing else: `g` comes behind all that begin so. */
export function sessionsStarting(connection: Connection, prefix: string): readonly StoredSession[] {
  const rows = connection.sql(STARTING).all(prefix, `${prefix}g`);
  return rows.flatMap((row) => sessionById(connection, text(row, "id")) ?? []);
}

function knownSessions(connection: Connection): SessionIndex {
  connection.memory.sessions ??= { index: new SessionIndex(readAll(connection)), stale: new Set() };
  const { index, stale } = connection.memory.sessions;
  for (const id of stale) {
    stale.delete(id);
    index.set(id, readById(connection, id));
  }
  return index;
}

function readAll(connection: Connection): readonly StoredSession[] {
  const rows = connection.sql(`SELECT ${COLUMNS} FROM sessions`).all();
  return decodeAll(connection, "sessions", "id", rows, readSession);
}

/** The most recently active one, should several claim it. */
export function sessionByProgramId(
  connection: Connection,
  program: string,
  programSessionId: string,
): StoredSession | undefined {
  const row = connection
    .sql(
      `SELECT ${COLUMNS} FROM sessions WHERE program = ? AND program_session_id = ?
       ORDER BY last_active_at DESC LIMIT 1`,
    )
    .get(program, programSessionId);
  return decode(connection, "sessions", "id", row, readSession);
}

function readSession(row: Row): StoredSession {
  return {
    id: text(row, "id"),
    agent: text(row, "agent"),
    main: flag(row, "main"),
    program: text(row, "program"),
    label: text(row, "label"),
    title: text(row, "title"),
    hooked: flag(row, "hooked"),
    startedAt: number(row, "started_at"),
    lastActiveAt: number(row, "last_active_at"),
    ...present({
      identity: optionalJson(row, "identity", isIdentity),
      programSessionId: optionalText(row, "program_session_id"),
      transcriptPath: optionalText(row, "transcript_path"),
      version: optionalText(row, "version"),
      folder: optionalText(row, "folder"),
      branch: optionalText(row, "branch"),
      lastPrompt: optionalText(row, "last_prompt"),
      exitedAt: optionalNumber(row, "exited_at"),
      name: optionalText(row, "name"),
      command: optionalJson(row, "command", isTexts),
      role: optionalText(row, "role"),
      parent: optionalText(row, "parent"),
      owesFirstTurn: flag(row, "owes_first_turn") || undefined,
      window: optionalJson(row, "tmux_window", isWindow),
    }),
  };
}

function isWindow(value: unknown): value is NonNullable<StoredSession["window"]> {
  return isRecord(value) && isTexts(value.command) && ["string", "undefined"].includes(typeof value.server);
}

function isIdentity(value: unknown): value is TerminalIdentity {
  return (
    isRecord(value) &&
    (value.kind === "tmux" || value.kind === "pty") &&
    typeof value.server === "string" &&
    typeof value.pane === "string" &&
    typeof value.serverPid === "number" &&
    typeof value.serverStartedAt === "string" &&
    typeof value.panePid === "number" &&
    typeof value.agentPid === "number" &&
    typeof value.agentStartedAt === "string"
  );
}
