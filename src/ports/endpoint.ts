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
  /** The program ended after the keys were in: whether it took them, nobody can tell. */
  | { readonly kind: "ended"; readonly transport: Transport; readonly note: string }
  /** Nothing reached the program: an urgent text would stand behind a file with others. So many of them go first. */
  | { readonly kind: "apart"; readonly first: number }
  /** Nothing reached the program, and nothing ever should: what it was meant for is over. */
  | { readonly kind: "failed"; readonly note: string }
  | { readonly kind: "gone"; readonly error: BellhopError };

/** What the courier lends an endpoint for one batch. */
export interface Handover {
  readonly signal: AbortSignal;
  /** The courier chose this batch to break in on a running turn. */
  readonly interrupting: boolean;
  /** Commits `delivering`. Resolves before the first byte may go out; a rejection means: send nothing. */
  begin(attempt: Omit<Attempt, "sessionId" | "startedAt">): Promise<void>;
  /** The terminal has taken every key. Written beside the work: nothing waits for it, and nothing fails with it. */
  submitted(): void;
  /** Records the outcome now, while the endpoint still has work to do: a draft to bring back. */
  settle(outcome: DeliveryOutcome): Promise<void>;
}

/** Where a mailbox empties. */
export interface Endpoint {
  deliver(batch: Batch, handover: Handover): Promise<DeliveryOutcome>;
}
