import type { Instant } from "../../core/message.ts";
import { number, text } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { forgetHookEventsBefore } from "./hook-events.ts";
import { forgetDraftsSettledBefore } from "./kept-drafts.ts";

/**
 * A message goes when it is older than `at`, nothing of it waits or is under way, and nothing happened to it since:
 * what waited a month for its agent is still readable after it arrived. Deliveries, receipts and the dead letter go
 * with it by cascade; hook events and settled drafts of that age, which no message owns, go in the same call.
 */
export function forgetFinishedBefore(connection: Connection, at: Instant, limit: number): readonly string[] {
  const finished = connection
    .sql(
      `SELECT m.number, m.file FROM messages m
       WHERE m.created_at < ?1 AND NOT EXISTS (
         SELECT 1 FROM deliveries d WHERE d.message = m.number AND (
           d.state IN ('queued', 'delivering')
           OR EXISTS (SELECT 1 FROM receipts r WHERE r.delivery = d.sequence AND r.at >= ?1)))
       ORDER BY m.created_at LIMIT ?2`,
    )
    .all(at, limit);
  for (const row of finished) {
    connection.sql("DELETE FROM messages WHERE number = ?").run(number(row, "number"));
  }
  forgetHookEventsBefore(connection, at, limit);
  forgetDraftsSettledBefore(connection, at, limit);
  return finished.map((row) => text(row, "file")).filter((file) => file !== "");
}
