/** What `POST /sessions/{id}/send` says about a delivery. Pure. */
import type { z } from "zod";
import { assertNever } from "../../core/errors.ts";
import type { DeliveryState, Hold, HoldReason, Instant } from "../../core/message.ts";
import type { ESTIMATES, sentAnswer, urgentAnswer } from "../../wire/http/answers.ts";
import type { holdWithIsoTime } from "../../wire/http/fields.ts";
import type { QueuedDelivery, SendResponse, ShownDelivery } from "../../wire/shapes/messages.ts";

export type Estimate = (typeof ESTIMATES)[number];
export type SentAnswer = z.output<typeof sentAnswer>;
export type UrgentAnswer = z.output<typeof urgentAnswer>;

export function isoTime(at: Instant): string {
  return new Date(at).toISOString();
}

export function holdInIsoTime({ reason, since, release }: Hold): z.output<typeof holdWithIsoTime> {
  return { reason, since: isoTime(since), release };
}

/** When it will be delivered, as far as can be known: at once, when its hold ends, or it was already. */
export function estimatedDelivery(state: DeliveryState, reason: HoldReason | undefined): Estimate {
  if (state !== "queued") return state;
  switch (reason) {
    case undefined:
      return "immediate";
    case "busy":
      return "waiting_for_idle";
    case "typing":
    case "blocked":
    case "attached":
    case "paused":
    case "suspended":
    case "offline":
    case "turn":
    case "unknown":
      return `held_${reason}`;
    default:
      return assertNever(reason);
  }
}

/** 1 is delivered next. `waiting` is in the order of delivery; a long queue may be cut off before this message. */
export function queuePosition(id: string, waiting: readonly QueuedDelivery[]): number {
  const queued = waiting.filter(({ state }) => state === "queued");
  const place = queued.findIndex((delivery) => delivery.id === id);
  return place === -1 ? queued.length + 1 : place + 1;
}

export function answerQueued(
  mode: SentAnswer["delivery_mode"],
  message: Pick<SendResponse, "messageId" | "shortId">,
  delivery: Pick<ShownDelivery, "state" | "hold">,
  position: number,
): SentAnswer {
  return {
    status: "queued",
    state: delivery.state,
    queue_position: position,
    delivery_mode: mode,
    estimated_delivery: estimatedDelivery(delivery.state, delivery.hold?.reason),
    message_id: message.messageId,
    short_id: message.shortId,
    ...(delivery.hold === undefined ? {} : { hold: holdInIsoTime(delivery.hold) }),
  };
}

export function answerUrgent(
  mode: UrgentAnswer["delivery_mode"],
  message: Pick<SendResponse, "messageId" | "shortId">,
  delivery: Pick<ShownDelivery, "state" | "hold" | "interrupted">,
): UrgentAnswer {
  return {
    status: delivery.state,
    delivery_mode: mode,
    interrupted: delivery.interrupted ?? false,
    message_id: message.messageId,
    short_id: message.shortId,
    ...(delivery.state === "queued"
      ? { estimated_delivery: estimatedDelivery(delivery.state, delivery.hold?.reason) }
      : {}),
    ...(delivery.hold === undefined ? {} : { hold: holdInIsoTime(delivery.hold) }),
  };
}
