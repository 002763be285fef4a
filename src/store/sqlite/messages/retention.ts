import type { Instant } from "../../../core/message.ts";
import { forgetDepartedBefore } from "../cluster/departed-agents.ts";
import { buryLetters, forgetTombstonesBefore } from "../cluster/taken-letters.ts";
import { number, optionalNumber, text } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { forgetOrigin } from "../outside/arrived.ts";
import { forgetDialogKeysBefore, forgetQuestionsBefore, forgetRelaysBefore } from "../outside/relays.ts";
import { forgetSpokenBefore } from "../outside/spoken.ts";
import { forgetHookEventsBefore } from "../sessions/hook-events.ts";
import { forgetDraftsSettledBefore } from "../sessions/kept-drafts.ts";
import { forgetToldBefore } from "../sessions/told.ts";
import { forgetReminderKeysBefore } from "../time/reminder-keys.ts";
import { forgetLogBefore } from "../turns/auto-runs.ts";
import { forgetTurnsBefore } from "../turns/turns.ts";
import { PLACES } from "./delivery-ids.ts";

const FINISHED = `SELECT m.number, m.id, m.file FROM messages m
  WHERE m.number <= ?3 AND m.created_at < ?1 AND NOT EXISTS (
    SELECT 1 FROM timers t WHERE t.delivery_id > m.id || '.' AND t.delivery_id < m.id || '/'
  ) AND NOT EXISTS (
    SELECT 1 FROM deliveries d
    WHERE d.sequence > m.number * ${PLACES} AND d.sequence < (m.number + 1) * ${PLACES} AND (
      d.state = 'delivering' OR (d.state = 'queued' AND d.handled_by IS NULL) OR d.queued_at >= ?1
      OR EXISTS (SELECT 1 FROM receipts r WHERE r.delivery = d.sequence AND r.at >= ?1)))
  ORDER BY m.number LIMIT 0 + ?2`;

/**
 * A message is deleted if it is older than `at`, none of its deliveries is waiting or under way, and nothing happened
 * to it since: one that waited a month for its agent can still be read after it arrived. A copy that can only be
 * received, because a session also has the message, does not keep it. Deliveries, receipts, the dead letter, the letters
 * that went to other hosts and where it came from go with it; a letter with which it came is known for longer. Hook events, settled drafts, reminder keys, told things, ended turns, where agents moved to,
 * and what was logged of conversations, which no message owns, go as well at that age.
 */
export function forgetFinishedBefore(connection: Connection, at: Instant, limit: number): readonly string[] {
  const finished = connection.sql(FINISHED).all(at, limit, lastOlderThan(connection, at));
  for (const row of finished) {
    const message = { id: text(row, "id"), number: number(row, "number") };
    buryLetters(connection, message, at);
    forgetMessage(connection, message.number);
    forgetOrigin(connection, message.id);
  }
  forgetHookEventsBefore(connection, at, limit);
  forgetDraftsSettledBefore(connection, at, limit);
  forgetReminderKeysBefore(connection, at, limit);
  forgetToldBefore(connection, at, limit);
  forgetSpokenBefore(connection, at, limit);
  forgetRelaysBefore(connection, at, limit);
  forgetDialogKeysBefore(connection, at, limit);
  forgetQuestionsBefore(connection, at, limit);
  forgetTurnsBefore(connection, at, limit);
  forgetLogBefore(connection, at, limit);
  forgetTombstonesBefore(connection, at, limit);
  forgetDepartedBefore(connection, at, limit);
  return finished.map((row) => text(row, "file")).filter((file) => file !== "");
}

function forgetMessage(connection: Connection, message: number): void {
  if (connection.memory.newest?.number === message) delete connection.memory.newest;
  delete connection.memory.arrived;
  connection
    .sql("DELETE FROM deliveries WHERE sequence > ? AND sequence < ?")
    .run(message * PLACES, (message + 1) * PLACES);
  connection.sql("DELETE FROM messages WHERE number = ?").run(message);
}

/**
 * Numbers grow with time, so a binary search takes twenty steps for a million. If the clock was set back, some messages
 * are found late, by as much as it was set back, and none too early.
 */
export function lastOlderThan(connection: Connection, at: Instant): number {
  const ends = connection
    .sql("SELECT (SELECT min(number) FROM messages) AS first, (SELECT max(number) FROM messages) AS last")
    .get();
  let known = optionalNumber(ends, "first") ?? 0;
  let limit = (optionalNumber(ends, "last") ?? 0) + 1;
  while (limit - known > 1) {
    const middle = known + Math.floor((limit - known) / 2);
    const row = connection
      .sql("SELECT created_at FROM messages WHERE number >= ? ORDER BY number LIMIT 1")
      .get(middle);
    if (row !== undefined && number(row, "created_at") < at) known = middle;
    else limit = middle;
  }
  return known;
}
