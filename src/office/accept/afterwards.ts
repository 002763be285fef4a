/** The steps of accept after the commit: who is told. `accept.ts` has their order. */
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

/** Listeners have already heard the first send; a repeat is not told again. */
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
  parts.acceptedLog.add(accepted);
}

/** Only a program that reads by reference needs the file soon; otherwise it is written when someone asks for it. */
export function fileIt({ parts, accepted }: Committed): void {
  const { message, deliveries } = accepted;
  const forTerminal = ({ to, handledBy }: Delivery): boolean =>
    handledBy === undefined && parts.directory.takerOfMailbox(to) !== undefined;
  if (deliveries.some(forTerminal)) parts.filing.take(message);
}
