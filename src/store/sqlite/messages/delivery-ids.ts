import type { DeliveryId, MessageId } from "../../../core/message.ts";
import { optionalNumber } from "../columns.ts";
import type { Connection } from "../connection.ts";

/** The deliveries of one message are numbered from 1 up to this, exclusive. */
export const PLACES = 65_536;

export function deliveryIdOf(messageId: MessageId, sequence: number): DeliveryId {
  return `${messageId}.${sequence % PLACES}`;
}

/** Undefined if the message does not exist or this cannot be a delivery's id. */
export function sequenceOf(connection: Connection, id: DeliveryId): number | undefined {
  const [, messageId, place] = /^(.+)\.([1-9]\d{0,4})$/u.exec(id) ?? [];
  if (messageId === undefined || Number(place) >= PLACES) return undefined;
  const message = messageNumber(connection, messageId);
  return message === undefined ? undefined : message * PLACES + Number(place);
}

export function messageNumber(connection: Connection, id: MessageId): number | undefined {
  const { newest } = connection.memory;
  if (newest?.id === id) return newest.number;
  return optionalNumber(connection.sql("SELECT number FROM messages WHERE id = ?").get(id), "number");
}
