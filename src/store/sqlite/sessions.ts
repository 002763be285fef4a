import type { AgentName, Instant, SessionId } from "../../core/message.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { TerminalIdentity } from "../../ports/terminal.ts";
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
  present,
  text,
  toJson,
  withoutNul,
} from "./columns.ts";
import type { Connection, Row } from "./connection.ts";
import type { SessionMemory } from "./memory.ts";

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
  delete connection.memory.sessions;
}

const BY_ID = `SELECT ${COLUMNS} FROM sessions WHERE id = ?`;

export function sessionById(connection: Connection, id: SessionId): StoredSession | undefined {
  if (connection.memory.sessions !== undefined) return knownSessions(connection).byId.get(id);
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
  const known = knownSessions(connection);
  return inOrder(known).live.flatMap((id) => known.byId.get(id) ?? []);
}

/** In order of their end. */
export function sessionsExitedAfter(connection: Connection, at: Instant): readonly StoredSession[] {
  const known = knownSessions(connection);
  return inOrder(known)
    .exited.flatMap((id) => known.byId.get(id) ?? [])
    .filter(({ exitedAt = 0 }) => exitedAt > at);
}

function knownSessions(connection: Connection): SessionMemory {
  connection.memory.sessions ??= { byId: readAll(connection), stale: new Set() };
  const known = connection.memory.sessions;
  for (const id of known.stale) {
    known.stale.delete(id);
    const before = known.byId.get(id);
    const now = readById(connection, id);
    if (now === undefined) known.byId.delete(id);
    else known.byId.set(id, now);
    if (before?.startedAt !== now?.startedAt || before?.exitedAt !== now?.exitedAt) delete known.order;
  }
  return known;
}

function readAll(connection: Connection): Map<SessionId, StoredSession> {
  const rows = connection.sql(`SELECT ${COLUMNS} FROM sessions`).all();
  return new Map(decodeAll(connection, "sessions", "id", rows, readSession).map((one) => [one.id, one]));
}

function inOrder(known: SessionMemory): NonNullable<SessionMemory["order"]> {
  if (known.order === undefined) {
    const all = [...known.byId.values()].sort(byTime);
    const ids = (wanted: "live" | "exited") =>
      all.filter(({ exitedAt }) => (exitedAt === undefined) === (wanted === "live")).map(({ id }) => id);
    known.order = { live: ids("live"), exited: ids("exited") };
  }
  return known.order;
}

function byTime(a: StoredSession, b: StoredSession): number {
  const order = (a.exitedAt ?? 0) - (b.exitedAt ?? 0) || a.startedAt - b.startedAt;
  return order === 0 && a.id !== b.id ? (a.id < b.id ? -1 : 1) : order;
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
