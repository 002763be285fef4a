import type { BellhopError } from "../core/errors.ts";
import type { Delivery, Evidence, Hold, Instant, Message, Transport } from "../core/message.ts";
import type { Readiness } from "../core/readiness.ts";

export interface Batch {
  readonly items: readonly { readonly delivery: Delivery; readonly message: Message }[];
}

export type Outcome =
  | { readonly kind: "delivered"; readonly transport: Transport; readonly evidence: Evidence }
  | { readonly kind: "unconfirmed"; readonly transport: Transport; readonly note: string }
  /** Nothing reached the program. */
  | { readonly kind: "hold"; readonly hold: Hold; readonly retryAt: Instant | "on-signal" }
  | { readonly kind: "gone"; readonly error: BellhopError };

/** Where a mailbox empties. */
export interface Endpoint {
  readiness(): Readiness;
  deliver(batch: Batch, signal: AbortSignal): Promise<Outcome>;
}
