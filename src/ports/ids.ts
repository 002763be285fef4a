import type { MessageId, SessionId } from "../core/message.ts";

export interface Ids {
  message(): MessageId;
  draft(): string;
  shortId(): string;
  session(): SessionId;
}
