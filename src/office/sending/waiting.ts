/** `send --wait`: until a message's deliveries reach a state or no longer can. Woken by the state watch. */
import { hostOfMailbox } from "../../core/cluster/hosts.ts";
import { BellhopError } from "../../core/errors.ts";
import { hasReached } from "../../core/evidence.ts";
import type { Delivery, DeliveryState, Hold, Message, MessageId } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { isFinal } from "../../core/transitions.ts";
import type { WaitResponse } from "../../wire/shapes/messages.ts";
import type { OfficeContext } from "../base/context.ts";
import type { Ground } from "../presence/ground.ts";

/** Throws `wait.timed_out`. */
export async function waitForState(
  parts: Ground,
  { id, shortId }: Message,
  wanted: DeliveryState,
  timeoutMs: number | undefined,
): Promise<WaitResponse> {
  const { context } = parts;
  const settled = await firstFound(parts, id, timeoutMs, () => {
    const { state } = standingOf(context, id);
    // Unconfirmed may still become delivered, but the sender should look now, not at the deadline.
    return hasReached(state, wanted) || isFinal(state) || state === "unconfirmed" ? state : undefined;
  });
  const state = settled ?? standingOf(context, id).state;
  const reached = hasReached(state, wanted);
  if (settled !== undefined || reached) return { state, reached };
  throw new BellhopError("wait.timed_out", {
    message: `#${shortId} is ${state}, not yet ${wanted}.`,
    next:
      state === "queued"
        ? `It is not lost: see why it waits with "bellhop explain ${shortId}".`
        : `See what became of it with "bellhop show ${shortId}".`,
  });
}

/** Until a courier has looked at every delivery once: it is held for a reason, or it has an outcome. */
export async function waitForVerdict(parts: Ground, id: MessageId, timeoutMs: number): Promise<void> {
  await firstFound(parts, id, timeoutMs, () => {
    const isOpen = parts.context.store.read.deliveriesOf(id).some(({ state, hold, to }) => {
      if (hold === undefined) return state === "delivering" || state === "queued";
      // It is on its way, and says where it is.
      return state === "delivering" && hostOfMailbox(to) === undefined;
    });
    return isOpen ? undefined : "looked-at";
  });
}

/** Looks now and at every change of one of the message's deliveries. Undefined: the time was up first. */
export function firstFound<T>(
  { context, states }: Ground,
  id: MessageId,
  timeoutMs: number | undefined,
  look: () => T | undefined,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const finish = (found: T | undefined): void => {
      stop();
      cancel();
      resolve(found);
    };
    const lookNow = (): void => {
      const found = look();
      if (found !== undefined) finish(found);
    };
    const stop = states.watch(id, lookNow);
    const cancel =
      timeoutMs === undefined ? () => {} : context.clock.after(timeoutMs, () => finish(undefined));
    lookNow();
  });
}

const FURTHEST_BEHIND_FIRST: readonly DeliveryState[] = [
  "failed",
  "expired",
  "cancelled",
  "queued",
  "delivering",
  "unconfirmed",
  "delivered",
  "read",
  "replied",
];

/** The message's state is that of its least advanced delivery; on a host where nobody hears its path, nobody misses it. */
export function standingOf(
  context: OfficeContext,
  id: MessageId,
): { readonly state: DeliveryState; readonly hold?: Hold } {
  const all = context.store.read
    .deliveriesOf(id)
    // A copy that is only for reading: nobody has to take it.
    .filter(({ handledBy }) => handledBy === undefined);
  const [last] = unlessUnheard(context, all).toSorted(
    (a, b) => FURTHEST_BEHIND_FIRST.indexOf(a.state) - FURTHEST_BEHIND_FIRST.indexOf(b.state),
  );
  return { state: last?.state ?? "failed", ...present({ hold: last?.hold }) };
}

/** What another host was thought to hear, as long as anybody else may have it. */
function unlessUnheard({ store }: OfficeContext, all: readonly Delivery[]): readonly Delivery[] {
  if (all.length < 2) return all;
  const others = all.filter(
    ({ id, state }) => state !== "failed" || store.read.sentLetter(id)?.why !== "nobody",
  );
  return others.some(({ state }) => state !== "failed") ? others : all;
}
