import { BellhopError } from "./errors.ts";
import { DELIVERY_STATES, type DeliveryId, type DeliveryState } from "./message.ts";

/**
 * THE table of which state of a delivery may follow which. The store's `moveDelivery` checks every change against it;
 * nothing else changes a state.
 *
 *   queued ──▶ expired │ cancelled │ failed
 *    │  ▲ ╰──▶ delivered │ unconfirmed │ read      somebody took it by hand, or acknowledged it
 *    ▼  │ nothing was typed, or it goes again
 *   delivering ──▶ failed                          it may have arrived, and was to go at most once
 *    │      │
 *    │      ▼
 *    │  unconfirmed (again: still no proof)
 *    ▼      ▼
 *   delivered (again: better evidence) ──▶ read
 *
 *   delivering │ unconfirmed │ delivered │ read ──▶ replied
 *   delivering │ unconfirmed ──▶ read               its reader acknowledged it before the record said delivered
 */
const FOLLOWING: Readonly<Record<DeliveryState, readonly DeliveryState[]>> = {
  queued: ["delivering", "delivered", "unconfirmed", "read", "expired", "cancelled", "failed"],
  delivering: ["queued", "delivered", "unconfirmed", "read", "replied", "failed"],
  unconfirmed: ["unconfirmed", "delivered", "read", "replied"],
  delivered: ["delivered", "read", "replied"],
  read: ["replied"],
  replied: [],
  expired: [],
  cancelled: [],
  failed: [],
};

export function mayFollow(from: DeliveryState, to: DeliveryState): boolean {
  return FOLLOWING[from].includes(to);
}

/** The states from which a delivery may become this. */
export function statesBefore(to: DeliveryState): readonly DeliveryState[] {
  return DELIVERY_STATES.filter((from) => mayFollow(from, to));
}

/** No other state can follow. */
export function isFinal(state: DeliveryState): boolean {
  return FOLLOWING[state].length === 0;
}

export function movedOn(id: DeliveryId, from: DeliveryState, to: DeliveryState): BellhopError {
  return new BellhopError("delivery.moved_on", {
    message: `The delivery "${id}" is ${from}, and cannot become ${to} any more.`,
    next: `See what became of it with "bellhop show ${id}".`,
  });
}
