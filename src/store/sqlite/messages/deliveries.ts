import { BellhopError } from "../../../core/errors.ts";
import type { Delivery, DeliveryId, MessageId } from "../../../core/message.ts";
import type { NewDelivery } from "../../../ports/store.ts";
import { internAddress } from "../addresses.ts";
import type { Connection } from "../connection.ts";
import { deliveryIdOf, messageNumber, PLACES, sequenceOf } from "./delivery-ids.ts";
import { DELIVERIES, FROM_DELIVERIES, HOLD } from "./delivery-row.ts";
import { messageOrigin } from "./messages.ts";

const SELECT = `SELECT ${DELIVERIES.selected} ${FROM_DELIVERIES}`;

const INSERT = `INSERT INTO deliveries (${DELIVERIES.columns}, mailbox, sender, attempt_session, attempt_at)
  VALUES (${DELIVERIES.marks}, ?, ?, ?, ?)`;

/** Each bound value costs time, and one message may have thousands of deliveries: what most of them share is text. */
const INSERT_PLAIN = `INSERT INTO deliveries (sequence, position, priority, state, release_rule, attempts,
    at_most_once, possible_duplicate, any_way_in, queued_at, hold, mailbox, sender)
  VALUES (?1, ?1, ?2, 'queued', 'by-rule', 0, 0, 0, 0, ?3, ?4, ?5, ?6)`;

export const deliveryReads = { findDelivery, deliveriesOf };

export function insertDelivery(connection: Connection, delivery: NewDelivery): Delivery {
  const { messageId } = delivery;
  const origin = messageOrigin(connection, messageId);
  if (origin === undefined) {
    throw new BellhopError("message.unknown", {
      message: `No message has the id "${messageId}".`,
      next: "Store the message before its deliveries.",
    });
  }
  const place = origin.deliveries + 1;
  if (place >= PLACES) throw tooManyError(messageId);
  const sequence = origin.number * PLACES + place;
  const id = deliveryIdOf(messageId, sequence);
  const inserted = { id, sequence, position: sequence, attempts: 0, possibleDuplicate: false, ...delivery };
  const mailbox = internAddress(connection, delivery.to);
  const sender = internAddress(connection, origin.from);
  if (isPlain(delivery)) {
    const { priority, queuedAt, hold } = delivery;
    connection.sql(INSERT_PLAIN).insert(sequence, priority, queuedAt, HOLD.bind(hold), mailbox, sender);
  } else {
    const { sessionId, startedAt } = delivery.attempt ?? {};
    connection.sql(INSERT).insert(...DELIVERIES.values(inserted, mailbox, sender, sessionId, startedAt));
  }
  origin.deliveries = place;
  if (delivery.attempt !== undefined) connection.memory.arrived?.delete(delivery.attempt.sessionId);
  return inserted;
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
