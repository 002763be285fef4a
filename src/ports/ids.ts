import type { MessageId, SessionId } from "../core/message.ts";

export interface Ids {
  message(): MessageId;
  draft(): string;
  shortId(): string;
  session(): SessionId;
  /** That many random bytes, as text for a URL or a header. */
  secret(bytes: number): string;
}

/** SHA-256 of a text, in hex. */
export type Digest = (text: string) => string;
