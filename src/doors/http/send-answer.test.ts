import { describe, expect, it } from "vitest";
import { DELIVERY_STATES, type DeliveryState, HOLD_REASONS, type HoldReason } from "../../core/message.ts";
import { ESTIMATES } from "../../wire/http/answers.ts";
import type { QueuedDelivery } from "../../wire/shapes/messages.ts";
import { answerQueued, answerUrgent, estimatedDelivery, queuePosition } from "./send-answer.ts";

const SENT = { messageId: "ebac0d1c-96c2-469e-a1f1-761987bae549", shortId: "m7k2q9" };
const HOLD = { reason: "busy", since: Date.UTC(2024, 0, 15, 10), release: "when its turn ends" } as const;

describe("estimated_delivery", () => {
  it.each<[DeliveryState, HoldReason | undefined, string]>([
    ["queued", undefined, "immediate"],
    ["queued", "busy", "waiting_for_idle"],
    ["queued", "typing", "held_typing"],
    ["queued", "blocked", "held_blocked"],
    ["queued", "attached", "held_attached"],
    ["queued", "paused", "held_paused"],
    ["queued", "offline", "held_offline"],
    ["queued", "unknown", "held_unknown"],
    ["delivering", undefined, "delivering"],
    ["unconfirmed", undefined, "unconfirmed"],
    ["delivered", undefined, "delivered"],
    ["read", undefined, "read"],
    ["replied", undefined, "replied"],
    ["expired", undefined, "expired"],
    ["cancelled", undefined, "cancelled"],
    ["failed", undefined, "failed"],
    ["delivered", "busy", "delivered"],
  ])("%s, held %s: %s", (state, reason, estimate) => {
    expect(estimatedDelivery(state, reason)).toBe(estimate);
  });

  it("is always one of those that the schema names", () => {
    for (const state of DELIVERY_STATES)
      for (const reason of [undefined, ...HOLD_REASONS])
        expect(ESTIMATES).toContain(estimatedDelivery(state, reason));
  });
});

describe("queue_position", () => {
  const waiting = (id: string, state: DeliveryState = "queued") => ({ id, state }) as QueuedDelivery;

  it("is the place in the order of the drain, from 1", () => {
    const queue = [waiting("x", "delivering"), waiting("a"), waiting("b"), waiting("c")];
    expect(["a", "b", "c"].map((id) => queuePosition(id, queue))).toEqual([1, 2, 3]);
  });

  it("is behind all that are listed when the list ends before it", () => {
    expect(queuePosition("z", [waiting("a"), waiting("b")])).toBe(3);
    expect(queuePosition("z", [])).toBe(1);
  });
});

describe("the answer", () => {
  it("to a queued message has the fields that were promised, and says why it waits", () => {
    expect(answerQueued("sequential", SENT, { state: "queued", hold: HOLD }, 2)).toEqual({
      status: "queued",
      state: "queued",
      queue_position: 2,
      delivery_mode: "sequential",
      estimated_delivery: "waiting_for_idle",
      message_id: SENT.messageId,
      short_id: "m7k2q9",
      hold: { reason: "busy", since: "2024-01-15T10:00:00.000Z", release: "when its turn ends" },
    });
  });

  it("to an urgent one says whether somebody was interrupted", () => {
    expect(answerUrgent("urgent", SENT, { state: "delivered", interrupted: true })).toEqual({
      status: "delivered",
      delivery_mode: "urgent",
      interrupted: true,
      message_id: SENT.messageId,
      short_id: "m7k2q9",
    });
  });

  it("to an urgent one that still waits says why", () => {
    expect(
      answerUrgent("interrupt", SENT, { state: "queued", hold: { ...HOLD, reason: "blocked" } }),
    ).toMatchObject({
      status: "queued",
      delivery_mode: "interrupt",
      interrupted: false,
      estimated_delivery: "held_blocked",
      hold: { reason: "blocked" },
    });
  });
});
