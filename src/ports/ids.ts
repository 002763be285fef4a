import type { DeliveryId, MessageId, SessionId } from "../core/message.ts";

export interface Ids {
  message(): MessageId;
  delivery(): DeliveryId;
  shortId(): string;
  session(): SessionId;
}
