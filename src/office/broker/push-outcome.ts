/** What becomes of a delivery that was pushed to a listener that consumes. Called inside the listeners' transactions. */
import type { Delivery, Hold, Message } from "../../core/message.ts";
import type { StoreWriter } from "../../ports/store.ts";
import { takenAs } from "./mailboxes.ts";

/** Marked `delivering`, and why it waited before. */
export interface Begun {
  readonly message: Message;
  readonly delivery: Delivery;
  readonly heldBefore: Hold | undefined;
}

/** `unsent`: its listener had left before, so it cannot have seen it. `lost`: we died, and with us what became of it. */
export type PushOutcome = "written" | "gone" | "unsent" | "lost";

export function settle(
  tx: StoreWriter,
  { delivery, heldBefore }: Begun,
  outcome: PushOutcome,
  at: number,
): Delivery {
  const { id, atMostOnce } = delivery;
  const now = tx.findDelivery(id) ?? delivery;
  // Its reader may have acknowledged it meanwhile.
  if (now.state !== "delivering") return now;
  if (outcome === "written") {
    const taken = takenAs(delivery);
    const proof = { evidence: "accepted" } as const;
    return tx.moveDelivery(id, { at, transport: "receive", ...proof, ...taken }, proof);
  }
  const hold = heldBefore ?? null;
  if (outcome === "unsent") {
    const note = "its listener left before it was pushed";
    return tx.moveDelivery(id, { at, state: "queued", note }, { hold, transport: null });
  }
  const why = outcome === "lost" ? "after a restart" : "its listener left";
  const note = `${why}: it may have been seen`;
  if (atMostOnce) return tx.moveDelivery(id, { at, state: "unconfirmed", transport: "receive", note });
  return tx.moveDelivery(id, { at, state: "queued", note }, { possibleDuplicate: true, hold });
}
