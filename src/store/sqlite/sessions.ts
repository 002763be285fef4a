import type { AgentName, Instant, SessionId } from "../../core/message.ts";
import type { StoredSession } from "../../ports/store.ts";
import type { TerminalIdentity } from "../../ports/terminal.ts";
import {
  decode,
  decodeAll,
  flag,
  isRecord,
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

const COLUMNS = `id, agent, main, program, identity, program_session_id, transcript_path, version, label, title,
  folder, branch, last_prompt, hooked, started_at, last_active_at, exited_at`;

export function putSession(connection: Connection, session: StoredSession): void {
  connection
    .sql(
      `INSERT INTO sessions (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET agent = excluded.agent, main = excluded.main, program = excluded.program,
         identity = excluded.identity, program_session_id = excluded.program_session_id,
         transcript_path = excluded.transcript_path, version = excluded.version, label = excluded.label,
         title = excluded.title, folder = excluded.folder, branch = excluded.branch,
         last_prompt = excluded.last_prompt, hooked = excluded.hooked, started_at = excluded.started_at,
         last_active_at = excluded.last_active_at, exited_at = excluded.exited_at`,
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
    );
}

export function moveSessions(connection: Connection, from: AgentName, to: AgentName): void {
  connection.sql("UPDATE sessions SET agent = ? WHERE agent = ?").run(to, from);
}

export function removeSessionsOf(connection: Connection, agent: AgentName): void {
  connection.sql("DELETE FROM sessions WHERE agent = ?").run(agent);
}

export function sessionById(connection: Connection, id: SessionId): StoredSession | undefined {
  const row = connection.sql(`SELECT ${COLUMNS} FROM sessions WHERE id = ?`).get(id);
  return decode(connection, "sessions", "id", row, readSession);
}

export function liveSessions(connection: Connection): readonly StoredSession[] {
  const rows = connection
    .sql(`SELECT ${COLUMNS} FROM sessions WHERE exited_at IS NULL ORDER BY started_at, id`)
    .all();
  return decodeAll(connection, "sessions", "id", rows, readSession);
}

export function sessionsExitedAfter(connection: Connection, at: Instant): readonly StoredSession[] {
  const rows = connection
    .sql(`SELECT ${COLUMNS} FROM sessions WHERE exited_at > ? ORDER BY exited_at, started_at, id`)
    .all(at);
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
    }),
  };
}

function isIdentity(value: unknown): value is TerminalIdentity {
  return (
    isRecord(value) &&
    value.kind === "tmux" &&
    typeof value.server === "string" &&
    typeof value.pane === "string" &&
    typeof value.serverPid === "number" &&
    typeof value.serverStartedAt === "string" &&
    typeof value.panePid === "number" &&
    typeof value.agentPid === "number" &&
    typeof value.agentStartedAt === "string"
  );
}
