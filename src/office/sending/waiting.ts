/** `send --wait`: until a message's deliveries reach a state, or cannot any more. Pushed by the state watch. */
import { BellhopError } from "../../core/errors.ts";
import { hasReached } from "../../core/evidence.ts";
import type { DeliveryState, Hold, Message, MessageId } from "../../core/message.ts";
import { isSettled } from "../../core/transitions.ts";
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
  const { timedOut, state } = await until(parts, id, wanted, timeoutMs);
  const reached = hasReached(state, wanted);
  if (!timedOut || reached) return { state, reached };
  throw new BellhopError("wait.timed_out", {
    message: `#${shortId} is ${state}, not yet ${wanted}.`,
    next:
      state === "queued"
        ? `It is not lost: see why it waits with "bellhop explain ${shortId}".`
        : `See what became of it with "bellhop show ${shortId}".`,
  });
}

function until(
  { context, states }: Ground,
  id: MessageId,
  wanted: DeliveryState,
  timeoutMs: number | undefined,
): Promise<{ readonly state: DeliveryState; readonly timedOut: boolean }> {
  return new Promise((resolve) => {
    const finish = (timedOut: boolean): void => {
      stop();
      cancel();
      resolve({ state: worst(context, id), timedOut });
    };
    const look = (): void => {
      const state = worst(context, id);
      // Unconfirmed may still become delivered, but the sender is to look now, not at the deadline.
      if (hasReached(state, wanted) || isSettled(state) || state === "unconfirmed") finish(false);
    };
    const stop = states.watch(id, look);
    const cancel = timeoutMs === undefined ? () => {} : context.clock.after(timeoutMs, () => finish(true));
    look();
  });
}

/** Until its courier has looked at every delivery once: held and why, or what became of it. */
export async function waitForVerdict(parts: Ground, id: MessageId, timeoutMs: number): Promise<void> {
  const { context, states } = parts;
  return new Promise((resolve) => {
    const finish = (): void => {
      stop();
      cancel();
      resolve();
    };
    const look = (): void => {
      const open = context.store.read
        .deliveriesOf(id)
        .some(({ state, hold }) => state === "delivering" || (state === "queued" && hold === undefined));
      if (!open) finish();
    };
    const stop = states.watch(id, look);
    const cancel = context.clock.after(timeoutMs, finish);
    look();
  });
}

/** The delivery that is furthest behind speaks for the message. */
function worst(context: OfficeContext, id: MessageId): DeliveryState {
  return standingOf(context, id).state;
}

export function standingOf(
  context: OfficeContext,
  id: MessageId,
): { readonly state: DeliveryState; readonly hold?: Hold } {
  const order: readonly DeliveryState[] = [
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
  const all = context.store.read
    .deliveriesOf(id)
    // A copy for reading only: nobody has to take it.
    .filter(({ handledBy }) => handledBy === undefined);
  const [last] = all.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  return { state: last?.state ?? "failed", ...(last?.hold === undefined ? {} : { hold: last.hold }) };
}
