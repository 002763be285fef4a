import type { BellhopError } from "../core/errors.ts";
import type { Attempt, Evidence, HoldReason, Instant, Transport } from "../core/message.ts";
import type { Item } from "./store.ts";

export interface Batch {
  readonly items: readonly Item[];
}

export type DeliveryOutcome =
  | { readonly kind: "delivered"; readonly transport: Transport; readonly evidence: Evidence }
  | { readonly kind: "unconfirmed"; readonly transport: Transport; readonly note: string }
  /** Submitted, but in one prompt with text that is not ours. */
  | { readonly kind: "mixed"; readonly transport: Transport }
  /** Nothing reached the program. */
  | {
      readonly kind: "hold";
      readonly reason: HoldReason;
      readonly release: string;
      readonly retryAt: Instant | "on-signal";
    }
  /** The program ended after the keys were typed: whether it took them is unknown. */
  | { readonly kind: "ended"; readonly transport: Transport; readonly note: string }
  /** Nothing reached the program: an urgent text would be in a file with others. So `first` of them go first. */
  | { readonly kind: "apart"; readonly first: number }
  /** Nothing reached the program, and nothing will: what it was meant for is over. */
  | { readonly kind: "failed"; readonly note: string }
  | { readonly kind: "gone"; readonly error: BellhopError };

/** What the courier gives an endpoint for one batch. */
export interface Handover {
  readonly signal: AbortSignal;
  /** The courier chose this batch to interrupt a running turn. */
  readonly interrupting: boolean;
  /** Commits `delivering`; nothing may be sent until it resolves. If it rejects, send nothing. */
  begin(attempt: Omit<Attempt, "sessionId" | "startedAt">): Promise<void>;
  /** The terminal has taken every key. Recorded in the background: nothing waits for it or fails with it. */
  submitted(): void;
  /** Records the outcome now, while the endpoint still has work to do, such as restoring a draft. */
  settle(outcome: DeliveryOutcome): Promise<void>;
}

/** Where the messages of a mailbox go. */
export interface Endpoint {
  deliver(batch: Batch, handover: Handover): Promise<DeliveryOutcome>;
}
