/** What waits for the turns of one session. It reads only. */
import type { Address, DeliveryId } from "../../core/message.ts";
import type { Item } from "../../ports/store.ts";
import { isOverdue, outgoing } from "../delivery/outgoing.ts";
import type { Ground } from "../presence/ground.ts";
import { nameOf } from "./record.ts";
import type { Seat } from "./who.ts";

const LOOK_AHEAD = 200;
const FURTHER = 4;

export interface WaitingParts extends Ground {
  /** Someone waits for this answer and is shown it there. */
  isAwaited(item: Item): boolean;
  /** A listener consumes this mailbox. */
  isTakenElsewhere(mailbox: string): boolean;
}

export interface Waiting {
  /** In delivery order; if somebody released any, only those. */
  readonly going: readonly Item[];
  /** They came from hosts that may start no turns, and are in front of the others; only the owner lets them go. */
  readonly kept: readonly Item[];
  /** All was looked at that may be kept. */
  readonly isWhole: boolean;
}

/**
 * `all`: each one that is kept in front of the others is found. `front`: only the first of them, and the others are not
 * read: much may be kept for long, and each message asks what goes.
 */
export type Look = "all" | "front";

/** Keys need a terminal; what a person withholds stays. Those that somebody released may stand behind many others. */
export function waitingFor(parts: WaitingParts, { mailboxes }: Seat, look: Look): Waiting {
  const { context, isAwaited, isTakenElsewhere } = parts;
  const { read } = context.store;
  const own = mailboxes.filter((mailbox) => !isTakenElsewhere(mailbox));
  if (own.length === 0) return { going: [], kept: [], isWhole: true };
  const now = context.clock.now();
  const mayGo = (item: Item) =>
    item.delivery.release !== "withheld" &&
    item.message.form.kind === "text" &&
    !isOverdue(item.delivery, now) &&
    !isAwaited(item);
  const released = read
    .deliveries({ mailboxes: own, states: ["queued"], forTerminals: true, released: true })
    .filter(mayGo);
  if (released.length > 0) return { going: released, kept: [], isWhole: false };
  const kept = new Map<DeliveryId, Item>();
  const keptFrom = new Set<Address>();
  for (let most = LOOK_AHEAD; ; ) {
    const items = outgoing(read, own, most, look === "all" ? [] : [...keptFrom]);
    const there = items.filter(mayGo);
    const going = there.filter((item) => !isKept(parts, item));
    for (const item of there) if (isKept(parts, item)) kept.set(item.delivery.id, item);
    const isWhole = items.length < most;
    if (going.length > 0 || isWhole) return { going, kept: [...kept.values()], isWhole };
    const before = keptFrom.size;
    for (const { message } of kept.values()) keptFrom.add(message.from);
    if (look === "all" || keptFrom.size === before) most *= FURTHER;
  }
}

function isKept({ neighbours }: Ground, { message }: Item): boolean {
  return neighbours.keptFromTurns(message.from, message.shortId) !== undefined;
}

/** Until when one of those waits. */
export function untilLetGo(parts: Ground, item: Item): string {
  return parts.neighbours.keptFromTurns(item.message.from, nameOf(parts, item)) ?? "";
}
