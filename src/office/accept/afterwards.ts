/** The steps of accept once its message is on disk: who hears of it. Their order stands in `accept.ts`. */
import type { Delivery, Instant } from "../../core/message.ts";
import type { AcceptParts } from "./incoming.ts";
import type { Accepted } from "./submission.ts";

export interface Committed {
  readonly parts: AcceptParts;
  readonly accepted: Accepted;
  readonly time: "first" | "again";
  readonly timeoutAt: Instant | undefined;
}

export function wakeTakers({ parts, accepted }: Committed): void {
  for (const delivery of accepted.deliveries) parts.told.wake(delivery.to);
}

/** Whoever listens has heard the first one. */
export function tellListeners({ parts, accepted, time }: Committed): void {
  if (time === "again") return;
  parts.listeners.came(accepted.message, accepted.deliveries);
  parts.told.came(accepted);
}

export function reportLoop({ parts, accepted }: Committed): void {
  if (accepted.looped === true) parts.told.looped(accepted.message, accepted.reason ?? "a loop");
}

export function tellAnswered({ parts, accepted }: Committed): void {
  if (accepted.message.replyTo !== undefined) parts.told.answered(accepted.message.replyTo);
}

export function planExpiry({ parts, timeoutAt }: Committed): void {
  if (timeoutAt !== undefined) parts.told.expires();
}

export function logIt({ parts, accepted }: Committed): void {
  const { message, unmatched } = accepted;
  const { id, from, to, priority } = message;
  parts.context.log.info("message.accepted", { message: id, from, to, priority, unmatched });
}

/** Only who reads by reference needs the copy soon; for everybody else it is made when someone asks. */
export function fileIt({ parts, accepted }: Committed): void {
  const { message, deliveries } = accepted;
  const forTerminal = ({ to, handledBy }: Delivery): boolean =>
    handledBy === undefined && parts.directory.takerOfMailbox(to) !== undefined;
  if (deliveries.some(forTerminal)) parts.filing.take(message);
}
