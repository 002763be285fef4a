/** Ids as daemons make them. Whatever else comes from another host names nothing, and is kept nowhere. */
import type { DeliveryId, MessageId } from "../message.ts";

const MESSAGE = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

export const MESSAGE_ID_PATTERN = new RegExp(`^${MESSAGE}$`, "u");
export const DELIVERY_ID_PATTERN = new RegExp(`^${MESSAGE}\\.[1-9]\\d{0,4}$`, "u");

export function isDeliveryId(text: string): text is DeliveryId {
  return DELIVERY_ID_PATTERN.test(text);
}

export function isOfMessage(delivery: DeliveryId, message: MessageId): boolean {
  return delivery.startsWith(`${message}.`);
}
