import { BellhopError } from "../../../core/errors.ts";
import type { Delivery, DeliveryId, MessageId } from "../../../core/message.ts";
import type { NewDelivery } from "../../../ports/store.ts";
import { internAddress } from "../addresses.ts";
import type { Connection } from "../connection.ts";
import { deliveryIdOf, messageNumber, PLACES, sequenceOf } from "./delivery-ids.ts";
import { DELIVERIES, FROM_DELIVERIES } from "./delivery-row.ts";
import { messageOrigin } from "./messages.ts";

const SELECT = `SELECT ${DELIVERIES.selected} ${FROM_DELIVERIES}`;

const insertRow = DELIVERIES.inserter(["mailbox", "sender", "attempt_session", "attempt_at"]);

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
  const inserted = { ...delivery, id, sequence, position: sequence, attempts: 0, possibleDuplicate: false };
  insertRow(
    connection,
    inserted,
    internAddress(connection, delivery.to),
    internAddress(connection, origin.from),
    delivery.attempt?.sessionId,
    delivery.attempt?.startedAt,
  );
  origin.deliveries = place;
  if (delivery.attempt !== undefined) connection.memory.arrived?.delete(delivery.attempt.sessionId);
  return inserted;
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
