import type { Instant } from "../../core/message.ts";

export interface WebLink {
  /** With a code that is good for one login. */
  readonly url: string;
  readonly expiresAt: Instant;
}

export interface ShownWebSession {
  readonly id: string;
  readonly browser: string;
  readonly host: string;
  readonly loggedInAt: Instant;
  readonly seenAt: Instant;
}
