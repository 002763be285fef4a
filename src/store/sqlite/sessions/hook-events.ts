import type { Instant, SessionId } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import type { StoredHookEvent } from "../../../ports/store.ts";
import { decodeAll, isTexts, json, number, optionalText, text, toJson, withoutNul } from "../columns.ts";
import type { Connection, Row } from "../connection.ts";

export function appendHookEvent(connection: Connection, event: StoredHookEvent): void {
  connection
    .sql(
      `INSERT INTO hook_events (session_id, event, emitted_at, received_at, tokens, prompt_digest, sub_agent, detail)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      event.sessionId,
      event.event,
      event.emittedAt,
      event.receivedAt,
      toJson(event.tokens),
      event.promptDigest,
      event.subAgent,
      withoutNul(event.detail),
    );
}

/** In the order they came in. */
export function hookEventsSince(
  connection: Connection,
  sessionId: SessionId,
  sinceReceived: Instant,
): readonly StoredHookEvent[] {
  const rows = connection
    .sql(
      `SELECT number, session_id, event, emitted_at, received_at, tokens, prompt_digest, sub_agent, detail
       FROM hook_events WHERE session_id = ? AND received_at >= ? ORDER BY received_at, number`,
    )
    .all(sessionId, sinceReceived);
  return decodeAll(connection, "hook_events", "number", rows, readEvent);
}

/** Looks only at the oldest `limit` rows: they are in order of arrival, so no index by age is paid for. */
export function forgetHookEventsBefore(connection: Connection, at: Instant, limit: number): void {
  connection
    .sql(
      `DELETE FROM hook_events WHERE number IN
         (SELECT number FROM (SELECT number, received_at FROM hook_events ORDER BY number LIMIT ?)
          WHERE received_at < ?)`,
    )
    .run(limit, at);
}

function readEvent(row: Row): StoredHookEvent {
  return {
    sessionId: text(row, "session_id"),
    event: text(row, "event"),
    emittedAt: number(row, "emitted_at"),
    receivedAt: number(row, "received_at"),
    tokens: json(row, "tokens", isTexts),
    ...present({
      promptDigest: optionalText(row, "prompt_digest"),
      subAgent: optionalText(row, "sub_agent"),
      detail: optionalText(row, "detail"),
    }),
  };
}
