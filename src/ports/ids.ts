import type { MessageId, SessionId } from "../core/message.ts";

export interface Ids {
  message(): MessageId;
  draft(): string;
  shortId(): string;
  session(): SessionId;
}

/** SHA-256 of a text, in hex. */
export type Digest = (text: string) => string;
