import { BellhopError } from "../../../core/errors.ts";
import type { Delivery, DeliveryId, DeliveryState, MessageId } from "../../../core/message.ts";
import type { Writable } from "../../../core/writable.ts";
import type { NewDelivery } from "../../../ports/store.ts";
import { internAddress } from "../addresses.ts";
import type { Bindable, Connection } from "../connection.ts";
import { deliveryIdOf, messageNumber, PLACES, sequenceOf } from "./delivery-ids.ts";
import { DELIVERIES, FROM_DELIVERIES, HOLD } from "./delivery-row.ts";
import { messageOrigin } from "./messages.ts";

const SELECT = `SELECT ${DELIVERIES.selected} ${FROM_DELIVERIES}`;

const INSERT = `INSERT INTO deliveries (${DELIVERIES.columns}, mailbox, sender, attempt_session, attempt_at)
  VALUES (${DELIVERIES.marks}, ?, ?, ?, ?)`;

/**
 * Each call and each bound value costs time, and one message may have thousands of deliveries: several rows are one
 * statement, and what most of them share is text.
 */
function plainText(rows: number): string {
  const values = Array.from({ length: rows }, (_, row) => {
    const [hold, mailbox] = [5 + 2 * row, 6 + 2 * row];
    return `(?1 + ${row}, ?1 + ${row}, ?2, 'queued', 'by-rule', 0, 0, 0, 0, ?3, ?${hold}, ?${mailbox}, ?4)`;
  });
  return `INSERT INTO deliveries (sequence, position, priority, state, release_rule, attempts,
    at_most_once, possible_duplicate, any_way_in, queued_at, hold, mailbox, sender) VALUES ${values.join(", ")}`;
}
const MOST_ROWS = 25;
/** The most rows first. */
const INSERT_PLAIN = [MOST_ROWS, 5, 1].map((rows) => ({ rows, text: plainText(rows) }));

export const deliveryReads = { findDelivery, deliveriesOf };
export const deliveryInserts = { insertDelivery, insertDeliveries };

function insertDelivery(connection: Connection, delivery: NewDelivery): Delivery {
  const [inserted] = insertDeliveries(connection, [delivery]);
  if (inserted === undefined) throw new Error("a delivery was not stored");
  return inserted;
}

function insertDeliveries(connection: Connection, deliveries: readonly NewDelivery[]): readonly Delivery[] {
  const [first] = deliveries;
  if (first === undefined) return [];
  const { messageId } = first;
  const origin = messageOrigin(connection, messageId);
  if (origin === undefined) {
    throw new BellhopError("message.unknown", {
      message: `No message has the id "${messageId}".`,
      next: "Store the message before its deliveries.",
    });
  }
  if (origin.deliveries + deliveries.length >= PLACES) throw tooManyError(messageId);
  const start = origin.number * PLACES + origin.deliveries + 1;
  const inserted = deliveries.map((delivery, index) => numbered(delivery, start + index));
  const sender = internAddress(connection, origin.from);
  for (let at = 0; at < inserted.length; ) at += insertFrom(connection, inserted, at, sender);
  origin.deliveries += deliveries.length;
  return inserted;
}

/** Field by field if there are only the usual ones: a copy takes longer than the row. */
function numbered(delivery: NewDelivery, sequence: number): Delivery {
  const id = deliveryIdOf(delivery.messageId, sequence);
  if (!isPlain(delivery))
    return { id, sequence, position: sequence, attempts: 0, possibleDuplicate: false, ...delivery };
  const { messageId, to, priority, state, release, atMostOnce, queuedAt, hold } = delivery;
  const plain: Writable<Delivery> = {
    id,
    sequence,
    position: sequence,
    attempts: 0,
    possibleDuplicate: false,
    messageId,
    to,
    priority,
    state,
    release,
    atMostOnce,
    queuedAt,
  };
  if (hold !== undefined) plain.hold = hold;
  return plain;
}

/** Inserts one or several, and returns how many. */
function insertFrom(
  connection: Connection,
  deliveries: readonly Delivery[],
  at: number,
  sender: number,
): number {
  const first = deliveries[at] as Delivery;
  const plain = plainFrom(deliveries, at);
  const insert = INSERT_PLAIN.find(({ rows }) => rows <= plain);
  if (insert === undefined) {
    const { sessionId, startedAt } = first.attempt ?? {};
    const mailbox = internAddress(connection, first.to);
    connection.sql(INSERT).insert(...DELIVERIES.values(first, mailbox, sender, sessionId, startedAt));
    if (sessionId !== undefined) connection.memory.arrived?.delete(sessionId);
    if (isUnanswered(first.state)) delete connection.memory.answered;
    return 1;
  }
  const values: Bindable[] = [first.sequence, first.priority, first.queuedAt, sender];
  for (let index = at; index < at + insert.rows; index += 1) {
    const { hold, to } = deliveries[index] as Delivery;
    values.push(HOLD.bind(hold), internAddress(connection, to));
  }
  connection.sql(insert.text).insert(...values);
  return insert.rows;
}

/** As the index `deliveries_unanswered` has it. */
export function isUnanswered(state: DeliveryState): boolean {
  return state === "delivered" || state === "read";
}

/** How many from here on have nothing of their own but a mailbox and a hold. */
function plainFrom(deliveries: readonly Delivery[], at: number): number {
  const { priority, queuedAt } = deliveries[at] as Delivery;
  let end = at;
  for (; end < deliveries.length && end - at < MOST_ROWS; end += 1) {
    const delivery = deliveries[end] as Delivery;
    if (delivery.priority !== priority || delivery.queuedAt !== queuedAt || !isPlain(delivery)) break;
  }
  return end - at;
}

function isPlain(delivery: NewDelivery): boolean {
  return (
    delivery.state === "queued" &&
    delivery.release === "by-rule" &&
    !delivery.atMostOnce &&
    delivery.anyWayIn !== true &&
    delivery.require === undefined &&
    delivery.timeoutAt === undefined &&
    delivery.timeoutMs === undefined &&
    delivery.owes === undefined &&
    delivery.handledBy === undefined &&
    delivery.transport === undefined &&
    delivery.evidence === undefined &&
    delivery.attempt === undefined
  );
}

export function mustFindDelivery(connection: Connection, id: DeliveryId): Delivery {
  return findDelivery(connection, id) ?? unknownDelivery(id);
}

/** The number of a delivery that is about to be changed; throws if it does not exist. */
export function mustFindSequence(connection: Connection, id: DeliveryId): number {
  return sequenceOf(connection, id) ?? unknownDelivery(id);
}

export function unknownDelivery(id: DeliveryId): never {
  throw new BellhopError("message.unknown", {
    message: `No delivery has the id "${id}".`,
    next: `List what waits with "bellhop queue".`,
  });
}

function findDelivery(connection: Connection, id: DeliveryId): Delivery | undefined {
  const row = connection.sql(`${SELECT} WHERE d.sequence = ?`).get(sequenceOf(connection, id));
  return DELIVERIES.read(connection, row);
}

const OF_MESSAGE = `${SELECT} WHERE d.sequence > ? AND d.sequence < ? ORDER BY d.sequence`;

function deliveriesOf(connection: Connection, messageId: MessageId): readonly Delivery[] {
  const message = messageNumber(connection, messageId);
  if (message === undefined) return [];
  const rows = connection.sql(OF_MESSAGE).all(message * PLACES, (message + 1) * PLACES);
  return DELIVERIES.readAll(connection, rows);
}

function tooManyError(messageId: MessageId): BellhopError {
  return new BellhopError("store.failed", {
    message: `The message "${messageId}" has ${PLACES - 1} deliveries already.`,
    next: "Send it to fewer recipients at once.",
  });
}
