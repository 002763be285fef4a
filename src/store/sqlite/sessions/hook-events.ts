import type { Instant, SessionId } from "../../../core/message.ts";
import type { StoredHookEvent } from "../../../ports/store.ts";
import { isTexts, json, NUMBER, optional, SHOWN_TEXT, TEXT } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { Table } from "../table.ts";

const EVENTS = new Table<StoredHookEvent>({
  name: "hook_events",
  key: "number",
  fields: {
    sessionId: ["session_id", TEXT],
    event: ["event", TEXT],
    emittedAt: ["emitted_at", NUMBER],
    receivedAt: ["received_at", NUMBER],
    tokens: ["tokens", json(isTexts)],
    promptDigest: ["prompt_digest", optional(TEXT)],
    subAgent: ["sub_agent", optional(TEXT)],
    conversation: ["conversation", optional(TEXT)],
    detail: ["detail", optional(SHOWN_TEXT)],
  },
});

export function appendHookEvent(connection: Connection, event: StoredHookEvent): void {
  connection
    .sql(`INSERT INTO hook_events (${EVENTS.columns}) VALUES (${EVENTS.marks})`)
    .run(...EVENTS.values(event));
}

/** In order of arrival. */
export function hookEvents(
  connection: Connection,
  sessionId: SessionId,
  sinceReceived: Instant,
): readonly StoredHookEvent[] {
  const rows = connection
    .sql(
      `SELECT number, ${EVENTS.selected} FROM hook_events
       WHERE session_id = ? AND received_at >= ? ORDER BY received_at, number`,
    )
    .all(sessionId, sinceReceived);
  return EVENTS.readAll(connection, rows);
}

/** Hooks of a session overtake each other by a few at most, even those that waited for the daemon. */
const LATEST_PROMPTS = 50;

export function lastPrompt(
  connection: Connection,
  sessionId: SessionId,
  by: Instant,
): StoredHookEvent | undefined {
  const rows = connection
    .sql(
      `SELECT number, ${EVENTS.selected} FROM hook_events
       WHERE session_id = ? AND event = 'prompt-submitted' AND sub_agent IS NULL
       ORDER BY received_at DESC, number DESC LIMIT 0 + ?`,
    )
    .all(sessionId, LATEST_PROMPTS);
  return EVENTS.readAll(connection, rows)
    .filter(({ emittedAt }) => emittedAt <= by)
    .reduce<StoredHookEvent | undefined>(
      (newest, one) => (newest === undefined || one.emittedAt > newest.emittedAt ? one : newest),
      undefined,
    );
}

/** Checks only the oldest `limit` rows: they are in order of arrival, so no index by age is needed. */
export function forgetHookEventsBefore(connection: Connection, at: Instant, limit: number): void {
  connection
    .sql(
      `DELETE FROM hook_events WHERE number IN
         (SELECT number FROM (SELECT number, received_at FROM hook_events ORDER BY number LIMIT 0 + ?)
          WHERE received_at < ?)`,
    )
    .run(limit, at);
}
