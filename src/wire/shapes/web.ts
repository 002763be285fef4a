import type { AttentionKind } from "../../core/attention.ts";
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
  /** Whether it gets notifications. */
  readonly notified: boolean;
}

export interface LastPush {
  readonly at: Instant;
  readonly outcome: "accepted" | "gone" | "later" | "refused";
  readonly why?: string;
}

/** The notifications of one browser. */
export interface PushDevice {
  readonly since: Instant;
  /** The host that brings them. */
  readonly service: string;
  /** SHA-256 of its endpoint: a browser sees whether it is still the one that it has. */
  readonly mark: string;
  /** Since the daemon was started. */
  readonly last?: LastPush;
}

export interface PushState {
  /** By which a browser knows that a notification is ours. */
  readonly publicKey: string;
  readonly device: PushDevice | null;
  /** As configured: `22:00-07:00`. */
  readonly quiet: string | null;
  readonly quietExcept: readonly AttentionKind[];
}

/** What the push service said to a test. */
export interface PushTested extends Omit<LastPush, "at"> {
  readonly service: string;
}

export interface ShownQuiet {
  readonly hours: string | null;
  readonly except: readonly AttentionKind[];
}
