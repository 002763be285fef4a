/** Of the letters that went to a host, those that may need something, each list by an index of its own. */
import { type HostName, hostMailbox } from "../../../core/cluster/hosts.ts";
import { DELIVERY_STATES, type DeliveryId } from "../../../core/message.ts";
import type { QuietFilter, QuietLetter, SentLetter, UnderWayFilter } from "../../../ports/cluster-store.ts";
import { findAddress } from "../addresses.ts";
import { choice, NUMBER, number, TEXT, text } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { mustFindSequence } from "../messages/deliveries.ts";
import { PLACES, sequenceOf } from "../messages/delivery-ids.ts";
import { Table } from "../table.ts";
import { SENT, selectSent } from "./sent-letters.ts";

export const underWayReads = { lettersUnderWay, quietLetters, lettersToAskBack };
export const underWayWrites = { removeSentLetter };

// The index of all deliveries knows which are under way; one more index would cost each delivery at home.
const UNDER_WAY = `SELECT ${SENT.selected} FROM deliveries d INDEXED BY deliveries_by_mailbox
  CROSS JOIN sent_letters s ON s.delivery = d.sequence
  CROSS JOIN messages m ON m.number = s.delivery / ${PLACES}
  WHERE d.state = 'delivering' AND d.mailbox = ? AND s.is_over = 0`;
const IN_ORDER = "ORDER BY d.priority, d.position, d.sequence LIMIT 0 + ?";
const FIRST_UNDER_WAY = `${UNDER_WAY} ${IN_ORDER}`;
const NEXT_UNDER_WAY = `${UNDER_WAY} AND (d.priority, d.position, d.sequence) > (?, ?, ?) ${IN_ORDER}`;

function lettersUnderWay(
  connection: Connection,
  { host, after, limit }: UnderWayFilter,
): readonly SentLetter[] {
  const mailbox = findAddress(connection, hostMailbox(host));
  if (mailbox === undefined) return [];
  if (after === undefined)
    return SENT.readAll(connection, connection.sql(FIRST_UNDER_WAY).all(mailbox, limit));
  const sequence = sequenceOf(connection, after);
  const row = connection.sql("SELECT priority, position FROM deliveries WHERE sequence = ?").get(sequence);
  if (row === undefined || sequence === undefined) return [];
  const place = [text(row, "priority"), number(row, "position"), sequence];
  return SENT.readAll(connection, connection.sql(NEXT_UNDER_WAY).all(mailbox, ...place, limit));
}

/** For a letter `s`, joined with its delivery `d` and the message `m` of that. */
const QUIET = new Table<QuietLetter>({
  name: "quiet letters",
  key: "delivery",
  fields: {
    delivery: ["delivery", TEXT],
    state: ["state", choice(DELIVERY_STATES)],
    quietAt: ["quiet_at", NUMBER],
  },
});

// Whoever asks leaves out what is read: years of that would be walked in one answer.
const QUIET_LETTERS = `SELECT m.id || '.' || (s.delivery % ${PLACES}) AS delivery, d.state AS state, s.quiet_at AS quiet_at
  FROM sent_letters s INDEXED BY sent_letters_quiet
  CROSS JOIN deliveries d ON d.sequence = s.delivery
  CROSS JOIN messages m ON m.number = s.delivery / ${PLACES}
  WHERE s.is_over = 0 AND s.stored_at IS NOT NULL AND s.host = ?
    AND (s.quiet_at, s.number) > (?, ?) AND s.quiet_at <= ?
  ORDER BY s.quiet_at, s.number LIMIT 0 + ?`;

function quietLetters(
  connection: Connection,
  { host, since, after, by, limit }: QuietFilter,
): readonly QuietLetter[] {
  const from = after?.quietAt ?? since;
  // What was forgotten meanwhile has no place any more: those of its moment come again.
  const last = after === undefined ? Number.MAX_SAFE_INTEGER : numberOf(connection, after.delivery);
  const rows = connection.sql(QUIET_LETTERS).all(host, from, last, by, limit);
  return QUIET.readAll(connection, rows);
}

function numberOf(connection: Connection, delivery: DeliveryId): number {
  const row = connection
    .sql("SELECT number FROM sent_letters WHERE delivery = ?")
    .get(sequenceOf(connection, delivery));
  return row === undefined ? 0 : number(row, "number");
}

const TO_ASK_BACK = `${selectSent("INDEXED BY sent_letters_to_ask_back")}
  WHERE s.is_over = 0 AND s.withdrawn IS NOT NULL AND s.asked_back_at IS NULL AND s.host = ?
  ORDER BY s.number LIMIT 0 + ?`;

function lettersToAskBack(connection: Connection, host: HostName, limit: number): readonly SentLetter[] {
  return SENT.readAll(connection, connection.sql(TO_ASK_BACK).all(host, limit));
}

function removeSentLetter(connection: Connection, delivery: DeliveryId): void {
  connection.sql("DELETE FROM sent_letters WHERE delivery = ?").run(mustFindSequence(connection, delivery));
}
