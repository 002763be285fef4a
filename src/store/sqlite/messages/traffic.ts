/** How many messages went from whom to whom. Walks the newest deliveries, page by page: no message pays for an index. */
import type { Instant } from "../../../core/message.ts";
import type { LettersPage, StoreReader, TalkedPage } from "../../../ports/store.ts";
import { number, optionalNumber, text } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { PLACES } from "./delivery-ids.ts";
import { lastOlderThan } from "./retention.ts";

export const trafficReads = { talked, unmatchedBySender };

/** The last row of a page: it is known before anything is counted, so that a page is never longer. */
const PAGE_END = `SELECT sequence FROM deliveries WHERE sequence < ?1 AND sequence > ?2
  ORDER BY sequence DESC LIMIT 1 OFFSET 0 + ?3`;

const PAIRS = `SELECT sender.path AS sender, mailbox.path AS mailbox, counted.messages, counted.oldest FROM (
    SELECT sender, mailbox, count(*) AS messages, min(queued_at) AS oldest FROM deliveries
    WHERE sequence < ?1 AND sequence > ?2 AND queued_at < ?3 AND handled_by IS NULL GROUP BY sender, mailbox
  ) counted CROSS JOIN addresses sender ON sender.number = counted.sender
  CROSS JOIN addresses mailbox ON mailbox.number = counted.mailbox`;

function talked(
  connection: Connection,
  { since, until, before = Number.MAX_SAFE_INTEGER, limit }: Parameters<StoreReader["talked"]>[0],
): TalkedPage {
  const first = firstSince(connection, since) * PLACES;
  const end = optionalNumber(connection.sql(PAGE_END).get(before, first, limit - 1), "sequence");
  const rows = connection.sql(PAIRS).all(before, end === undefined ? first : end - 1, until);
  const pairs = rows.map((row) => ({
    from: text(row, "sender"),
    mailbox: text(row, "mailbox"),
    messages: number(row, "messages"),
  }));
  const oldest = rows.reduce(
    (least, row) => Math.min(least, number(row, "oldest")),
    Number.POSITIVE_INFINITY,
  );
  return {
    pairs,
    ...(end === undefined ? {} : { before: end }),
    ...(rows.length === 0 ? {} : { oldest }),
  };
}

const LETTERS_END = `SELECT message FROM unmatched WHERE message < ?1 AND message >= ?2
  ORDER BY message DESC LIMIT 1 OFFSET 0 + ?3`;

const LETTERS = `SELECT m.from_address AS sender, count(*) AS messages
  FROM (SELECT message FROM unmatched WHERE message < ?1 AND message >= ?2) u
  CROSS JOIN messages m ON m.number = u.message GROUP BY m.from_address`;

function unmatchedBySender(
  connection: Connection,
  { since, before = Number.MAX_SAFE_INTEGER, limit }: Parameters<StoreReader["unmatchedBySender"]>[0],
): LettersPage {
  const first = firstSince(connection, since);
  const end = optionalNumber(connection.sql(LETTERS_END).get(before, first, limit - 1), "message");
  const rows = connection.sql(LETTERS).all(before, end ?? first);
  return {
    senders: rows.map((row) => ({ from: text(row, "sender"), messages: number(row, "messages") })),
    ...(end === undefined ? {} : { before: end }),
  };
}

/** The number of the first message that is not older. */
function firstSince(connection: Connection, since: Instant): number {
  const last = lastOlderThan(connection, since);
  const row = connection.sql("SELECT created_at FROM messages WHERE number = ?").get(last);
  return row !== undefined && number(row, "created_at") < since ? last + 1 : last;
}
