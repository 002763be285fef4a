/** Deliveries that went to other hosts. Each goes with its delivery. */
import type { HostName } from "../../../core/cluster/hosts.ts";
import { REFUSAL_REASONS } from "../../../core/cluster/refusals.ts";
import type { DeliveryId, Instant } from "../../../core/message.ts";
import type { SentFilter, SentLetter } from "../../../ports/cluster-store.ts";
import { choice, FLAG, isTexts, json, NUMBER, number, optional, SHOWN_TEXT, TEXT, text } from "../columns.ts";
import type { Bindable, Connection } from "../connection.ts";
import { mustFindSequence } from "../messages/deliveries.ts";
import { PLACES, sequenceOf } from "../messages/delivery-ids.ts";
import { Table } from "../table.ts";

/** For a table aliased `s`, joined with the message `m` of its delivery. */
export const SENT = new Table<SentLetter>({
  name: "sent_letters",
  key: "s_delivery",
  alias: "s",
  computed: { delivery: `m.id || '.' || (s.delivery % ${PLACES})` },
  fields: {
    delivery: ["delivery", TEXT],
    host: ["host", TEXT],
    sentAt: ["sent_at", NUMBER],
    storedAt: ["stored_at", optional(NUMBER)],
    attempts: ["attempts", NUMBER],
    sealedFor: ["sealed_for", optional(TEXT)],
    heeded: ["heeded", NUMBER],
    heardAt: ["heard_at", optional(NUMBER)],
    withdrawn: ["withdrawn", optional(SHOWN_TEXT)],
    withdrawnAt: ["withdrawn_at", optional(NUMBER)],
    askedBackAt: ["asked_back_at", optional(NUMBER)],
    dueAt: ["due_at", optional(NUMBER)],
    settledAt: ["settled_at", optional(NUMBER)],
    isTaken: ["is_taken", optional(FLAG)],
    why: ["why", optional(choice(REFUSAL_REASONS))],
    followed: ["followed", optional(json(isTexts))],
    isOver: ["is_over", FLAG],
  },
});

// CROSS JOIN keeps this order, and each list has an index of its own: what is over is never walked.
export const selectSent = (
  index: "" | `INDEXED BY ${string}`,
) => `SELECT ${SENT.selected} FROM sent_letters s ${index}
  CROSS JOIN messages m ON m.number = s.delivery / ${PLACES}`;

const ONE = `${selectSent("")} WHERE s.delivery = ?`;
const PUT = `INSERT INTO sent_letters (${SENT.columns}, delivery) VALUES (${SENT.marks}, ?)
  ON CONFLICT (delivery) DO UPDATE SET ${SENT.overwritten}`;

const DUE = `${selectSent("INDEXED BY sent_letters_due")}
  WHERE s.is_over = 0 AND s.due_at IS NOT NULL AND s.due_at <= ? ORDER BY s.due_at LIMIT 0 + ?`;

const UNHEARD = "s.is_over = 0 AND s.heeded < 0 AND s.withdrawn IS NULL AND s.host = ?";
const LAST_UNHEARD = `${selectSent("INDEXED BY sent_letters_unheard")}
  CROSS JOIN deliveries d ON d.sequence = s.delivery
  WHERE ${UNHEARD} AND d.state = 'delivering' AND s.number < ? ORDER BY s.number DESC LIMIT 1`;
const UNSTORE = `UPDATE sent_letters AS s INDEXED BY sent_letters_unheard SET stored_at = NULL
  WHERE ${UNHEARD} AND s.stored_at IS NOT NULL`;

export const sentReads = { sentLetter, sentLetters, lettersDue, lastUnheard };
export const sentWrites = { putSentLetter, unstoreUnheard };

function sentLetter(connection: Connection, delivery: DeliveryId): SentLetter | undefined {
  const sequence = sequenceOf(connection, delivery);
  return sequence === undefined ? undefined : SENT.read(connection, connection.sql(ONE).get(sequence));
}

function lettersDue(connection: Connection, by: Instant, limit: number): readonly SentLetter[] {
  return SENT.readAll(connection, connection.sql(DUE).all(by, limit));
}

function putSentLetter(connection: Connection, letter: SentLetter): void {
  const sequence = mustFindSequence(connection, letter.delivery);
  connection.sql(PUT).run(...SENT.values(letter, sequence));
}

/** Each combination is prepared once. */
function sentLetters(connection: Connection, filter: SentFilter): readonly SentLetter[] {
  const { host, unstored = false, notWithdrawn = false, after, limit } = filter;
  const conditions = ["s.is_over = 0"];
  const values: Bindable[] = [];
  if (unstored) conditions.push("s.stored_at IS NULL");
  if (notWithdrawn) conditions.push("s.withdrawn IS NULL");
  if (host !== undefined) {
    conditions.push("s.host = ?");
    values.push(host);
  }
  if (after !== undefined) {
    const place = placeOf(connection, after);
    if (place === undefined) return [];
    conditions.push(host === undefined ? "(s.host, s.number) > (?, ?)" : "s.number > ?");
    values.push(...(host === undefined ? [place.host, place.number] : [place.number]));
  }
  const index = unstored ? "sent_letters_unstored" : "sent_letters_open";
  const rows = connection
    .sql(
      `${selectSent(`INDEXED BY ${index}`)} WHERE ${conditions.join(" AND ")} ORDER BY s.host, s.number LIMIT 0 + ?`,
    )
    .all(...values, limit);
  return SENT.readAll(connection, rows);
}

function lastUnheard(connection: Connection, host: HostName, before?: DeliveryId): SentLetter | undefined {
  const place = before === undefined ? undefined : placeOf(connection, before);
  const end = place?.number ?? Number.MAX_SAFE_INTEGER;
  return SENT.read(connection, connection.sql(LAST_UNHEARD).get(host, end));
}

function unstoreUnheard(connection: Connection, host: HostName): void {
  connection.sql(UNSTORE).run(host);
}

function placeOf(connection: Connection, delivery: DeliveryId) {
  const row = connection
    .sql("SELECT host, number FROM sent_letters WHERE delivery = ?")
    .get(sequenceOf(connection, delivery));
  return row && { host: text(row, "host"), number: number(row, "number") };
}
