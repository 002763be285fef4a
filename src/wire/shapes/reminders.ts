/** What is to come later. */
import type { Address, Instant, SessionId } from "../../core/message.ts";
import type { Claims } from "./messages.ts";

/** Exactly one of `afterMs`, `everyMs` alone, `at`, `cron`; `everyMs` may follow a first `afterMs` or `at`. */
export interface RemindRequest {
  readonly text: string;
  /** Without it: the caller's own session, or the person. */
  readonly to?: string;
  readonly afterMs?: number;
  readonly everyMs?: number;
  readonly at?: Instant;
  /** With a key: how `at` was written. `17:30` is another moment tomorrow, and still the same call. */
  readonly atWritten?: string;
  /** Five fields, in this machine's time zone. */
  readonly cron?: string;
  readonly from?: string;
  /** The same key and content again is the same reminder. */
  readonly idempotencyKey?: string;
  readonly claims: Claims;
}

export interface ShownReminder {
  readonly id: string;
  readonly to: Address;
  readonly sessionId?: SessionId;
  readonly text: string;
  readonly setBy: Address;
  readonly dueAt: Instant;
  readonly everyMs?: number;
  readonly cron?: string;
  readonly createdAt: Instant;
  /** How often it has come already. */
  readonly fired: number;
  /** Short id of the message in which it came last, while that waits: until it is taken the next are left out. */
  readonly waiting?: string;
}
