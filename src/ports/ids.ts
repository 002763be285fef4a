import type { MessageId, SessionId } from "../core/message.ts";

export interface Ids {
  message(): MessageId;
  draft(): string;
  /** By chance alone. */
  shortId(): string;
  /** Those of the same moment begin alike. */
  messageShortId(): string;
  session(): SessionId;
  /** That many random bytes, as text for a URL or a header. */
  secret(bytes: number): string;
}

/** SHA-256 of a text, in hex. */
export type Digest = (text: string) => string;
