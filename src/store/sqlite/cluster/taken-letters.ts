/** Letters that came from other hosts: each is taken once, so they are known for longer than their messages. */
import { LETTERS_KNOWN_MS } from "../../../core/cluster/ages.ts";
import type { HostName } from "../../../core/cluster/hosts.ts";
import { REFUSAL_REASONS } from "../../../core/cluster/refusals.ts";
import { DELIVERY_STATES, type DeliveryId, type Instant, type MessageId } from "../../../core/message.ts";
import type { TakenFilter, TakenLetter } from "../../../ports/cluster-store.ts";
import { choice, FLAG, isTexts, json, NUMBER, number, optional, SHOWN_TEXT, TEXT } from "../columns.ts";
import type { Bindable, Connection } from "../connection.ts";
import { PLACES } from "../messages/delivery-ids.ts";
import { Table } from "../table.ts";

const TAKEN = new Table<TakenLetter>({
  name: "taken_letters",
  key: "delivery",
  fields: {
    host: ["host", TEXT],
    delivery: ["delivery", TEXT],
    takenAt: ["taken_at", NUMBER],
    messageId: ["message_id", optional(TEXT)],
    why: ["why", optional(choice(REFUSAL_REASONS))],
    refusal: ["refusal", optional(SHOWN_TEXT)],
    moved: ["moved", optional(json(isTexts))],
    endedAs: ["ended_as", optional(choice(DELIVERY_STATES))],
    told: ["told", NUMBER],
    toldDigest: ["told_digest", optional(TEXT)],
    isOver: ["is_over", FLAG],
  },
});

const SELECT = `SELECT ${TAKEN.selected} FROM taken_letters`;
const ONE = `${SELECT} WHERE host = ? AND delivery = ?`;
const OF_MESSAGE = `${SELECT} WHERE message_id = ? ORDER BY number LIMIT 1`;
const PUT = `INSERT INTO taken_letters (${TAKEN.columns}, tombstone_since) VALUES (${TAKEN.marks}, ?)
  ON CONFLICT (host, delivery) DO UPDATE SET ${TAKEN.overwritten},
    tombstone_since = iif(message_id IS excluded.message_id, tombstone_since, excluded.tombstone_since)`;

export const takenReads = { takenLetter, takenAs, takenLetters };
export const takenWrites = { putTakenLetter, keepNewestRefused, renameTaken };

function takenLetter(connection: Connection, host: HostName, delivery: DeliveryId): TakenLetter | undefined {
  return TAKEN.read(connection, connection.sql(ONE).get(host, delivery));
}

function takenAs(connection: Connection, messageId: MessageId): TakenLetter | undefined {
  return TAKEN.read(connection, connection.sql(OF_MESSAGE).get(messageId));
}

/** Each combination is prepared once. */
function takenLetters(connection: Connection, { host, after, limit }: TakenFilter): readonly TakenLetter[] {
  const conditions = ["is_over = 0"];
  const values: Bindable[] = [];
  if (host !== undefined) {
    conditions.push("host = ?");
    values.push(host);
  }
  if (after !== undefined) {
    const place = placeOf(connection, after);
    if (place === undefined) return [];
    conditions.push(host === undefined ? "(host, number) > (?, ?)" : "number > ?");
    values.push(...(host === undefined ? [after.host, place] : [place]));
  }
  const rows = connection
    .sql(
      `${SELECT} INDEXED BY taken_letters_open WHERE ${conditions.join(" AND ")} ORDER BY host, number LIMIT 0 + ?`,
    )
    .all(...values, limit);
  return TAKEN.readAll(connection, rows);
}

function placeOf(
  connection: Connection,
  { host, delivery }: NonNullable<TakenFilter["after"]>,
): number | undefined {
  const row = connection
    .sql("SELECT number FROM taken_letters WHERE host = ? AND delivery = ?")
    .get(host, delivery);
  return row && number(row, "number");
}

function putTakenLetter(connection: Connection, letter: TakenLetter): void {
  const tombstoneSince = letter.messageId === undefined ? letter.takenAt : undefined;
  connection.sql(PUT).run(...TAKEN.values(letter, tombstoneSince));
}

function keepNewestRefused(connection: Connection, host: HostName, most: number): void {
  connection
    .sql(
      `DELETE FROM taken_letters WHERE number IN (SELECT number FROM taken_letters INDEXED BY taken_letters_refused
        WHERE host = ? AND message_id IS NULL ORDER BY number DESC LIMIT -1 OFFSET 0 + ?)`,
    )
    .run(host, most);
}

/** One that came again under the new name is known under both. */
function renameTaken(connection: Connection, former: HostName, host: HostName): boolean {
  return connection.sql("UPDATE OR IGNORE taken_letters SET host = ? WHERE host = ?").run(host, former) > 0;
}

// Of several deliveries the one that its host is told of. None at all: its message was a dead letter.
const BURY = `UPDATE taken_letters SET is_over = 1, tombstone_since = ?1, ended_as = ifnull((
    SELECT d.state FROM deliveries d
    WHERE d.sequence > ?3 * ${PLACES} AND d.sequence < (?3 + 1) * ${PLACES} AND d.handled_by IS NULL
    ORDER BY d.sequence LIMIT 1), 'failed')
  WHERE message_id = ?2`;

/** Its message is being forgotten, and nothing happened to that since `at`: there is nothing more to tell. */
export function buryLetters(
  connection: Connection,
  message: { readonly id: MessageId; readonly number: number },
  at: Instant,
): void {
  connection.sql(BURY).run(at, message.id, message.number);
}

/** Also those of which nobody could be told: their host is gone. */
export function forgetTombstonesBefore(connection: Connection, at: Instant, limit: number): void {
  connection
    .sql(
      `DELETE FROM taken_letters WHERE number IN (SELECT number FROM taken_letters
        WHERE tombstone_since < ? ORDER BY tombstone_since LIMIT 0 + ?)`,
    )
    .run(at - LETTERS_KNOWN_MS, limit);
}
