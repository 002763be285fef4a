import { describe, expect, it } from "vitest";
import { type Attempt, DELIVERY_STATES, type Delivery, type Evidence } from "../../core/message.ts";
import type { DeliveryOutcome } from "../../ports/endpoint.ts";
import type { StoredHookEvent } from "../../ports/store.ts";
import { heldFor, provenByHook, settlement } from "./settlement.ts";

const AT = 9_000;
const HOLD = {
  kind: "hold",
  reason: "typing",
  release: "when it is quiet",
  retryAt: "on-signal",
} satisfies DeliveryOutcome;
const ENDED = { kind: "ended", transport: "paste", note: "its program ended" } satisfies DeliveryOutcome;
const UNCONFIRMED = {
  kind: "unconfirmed",
  transport: "paste",
  note: "nobody said",
} satisfies DeliveryOutcome;
const DELIVERED = { kind: "delivered", transport: "paste", evidence: "screen" } satisfies DeliveryOutcome;

function delivery(told: Partial<Delivery> = {}): Delivery {
  return {
    id: "m.1",
    messageId: "m",
    to: "agent/coder",
    sequence: 1,
    position: 1,
    priority: "normal",
    state: "delivering",
    release: "by-rule",
    attempts: 1,
    atMostOnce: false,
    possibleDuplicate: false,
    queuedAt: 1_000,
    ...told,
  };
}

function settled(
  now: Partial<Delivery>,
  outcome: DeliveryOutcome,
  meanwhile?: Evidence | "mixed",
  begun = true,
) {
  const settled = settlement(delivery(now), outcome, {
    at: AT,
    begun,
    provenMeanwhile: () => (meanwhile === "mixed" ? undefined : meanwhile),
    mixedMeanwhile: () => meanwhile === "mixed",
  });
  if (settled?.receipt === undefined) return settled;
  return { ...settled, patch: { state: settled.receipt.state, ...settled.patch } };
}

describe("what becomes of a delivery", () => {
  it("that was held after it was begun: it waits again, and its receipt says that nothing was typed", () => {
    expect(settled({}, HOLD)).toEqual({
      patch: {
        state: "queued",
        attempt: null,
        attempts: 0,
        hold: { reason: "typing", since: AT, release: "when it is quiet" },
      },
      receipt: { at: AT, state: "queued", note: "nothing was typed: held typing" },
    });
  });

  it("that was held before it was begun: only its hold changes", () => {
    expect(settled({ state: "queued" }, HOLD, undefined, false)).toEqual({
      patch: { hold: { reason: "typing", since: AT, release: "when it is quiet" } },
    });
  });

  it("that was sent together with other text: unconfirmed with that reason, whatever the screen showed", () => {
    const mixed = {
      patch: { state: "unconfirmed", transport: "paste" },
      receipt: { at: AT, state: "unconfirmed", transport: "paste", note: "sent together with other text" },
    };
    expect(settled({}, { kind: "mixed", transport: "paste" })).toEqual(mixed);
    expect(settled({}, UNCONFIRMED, "mixed")).toEqual(mixed);
    expect(settled({}, DELIVERED, "mixed")).toEqual(mixed);
    const submitted = { ...DELIVERED, evidence: "submitted" } as const;
    expect(settled({}, submitted, "mixed")).toMatchObject({ patch: { state: "delivered" } });
  });

  it("whose program ended under the keys: again as a possible duplicate, unless its sender wants it once", () => {
    expect(settled({}, ENDED)).toMatchObject({
      patch: { state: "queued", possibleDuplicate: true, hold: { reason: "offline" } },
      receipt: { note: "its program ended: it goes out again as a possible duplicate" },
    });
    expect(settled({ atMostOnce: true }, ENDED)).toMatchObject({
      patch: { state: "unconfirmed" },
      receipt: { state: "unconfirmed", note: "its program ended" },
    });
  });

  it("that nobody confirmed: unconfirmed, unless a hook has told meanwhile", () => {
    expect(settled({}, UNCONFIRMED)?.patch).toEqual({ state: "unconfirmed", transport: "paste" });
    expect(settled({}, UNCONFIRMED, "submitted")?.patch).toMatchObject({
      state: "delivered",
      evidence: "submitted",
    });
  });

  it("that was delivered: by the strongest evidence there is", () => {
    expect(settled({}, DELIVERED)?.patch).toMatchObject({ state: "delivered", evidence: "screen" });
    expect(settled({}, DELIVERED, "submitted")?.patch).toMatchObject({ evidence: "submitted" });
  });

  it("with less evidence than its sender requires: unconfirmed, and it says what is missing", () => {
    expect(settled({ require: "submitted" }, DELIVERED)).toMatchObject({
      patch: { state: "unconfirmed", evidence: "screen" },
      receipt: { note: "required: submitted" },
    });
  });

  it("that failed before it was begun: failed", () => {
    const outcome = { kind: "failed", note: "the dialog is over" } satisfies DeliveryOutcome;
    expect(settled({ state: "queued" }, outcome)).toEqual({
      patch: { state: "failed", hold: null },
      receipt: { at: AT, state: "failed", note: "the dialog is over" },
    });
  });

  it.each([HOLD, ENDED, UNCONFIRMED, DELIVERED])(
    "by $kind: what has moved on is never set back",
    (outcome) => {
      const over = DELIVERY_STATES.filter(
        (state) => !["queued", "delivering", "unconfirmed"].includes(state),
      );
      for (const state of over)
        for (const atMostOnce of [true, false])
          expect(settled({ state, atMostOnce }, outcome, "submitted"), state).toBeUndefined();
    },
  );
});

it("a hold for the same reason goes on since it began", () => {
  const held = delivery({ hold: { reason: "typing", since: 5, release: "then" } });
  expect(heldFor(held, "typing", "now", AT)).toEqual({ reason: "typing", since: 5, release: "now" });
  expect(heldFor(held, "busy", "now", AT).since).toBe(AT);
});

describe("a hook proves an attempt", () => {
  const attempt: Attempt = {
    sessionId: "s",
    transport: "paste",
    token: "#abc]",
    promptDigest: "d1",
    startedAt: 1,
    wasBusy: false,
  };
  const hook: StoredHookEvent = {
    sessionId: "s",
    event: "prompt-submitted",
    emittedAt: 2,
    receivedAt: 2,
    tokens: [],
  };

  it.each<[string, Partial<StoredHookEvent>, Evidence | undefined]>([
    ["by its token", { tokens: ["#abc]"] }, "submitted"],
    ["by its digest", { promptDigest: "d1" }, "submitted"],
    ["not by another prompt", { tokens: ["#xyz]"], promptDigest: "d2" }, undefined],
    ["not by a sub-agent's", { tokens: ["#abc]"], subAgent: "x" }, undefined],
    ["not by another event", { event: "turn-ended", tokens: ["#abc]"] }, undefined],
  ])("%s", (_, told, evidence) => {
    expect(provenByHook(attempt, [{ ...hook, ...told }])).toBe(evidence);
  });

  it("while the program was busy: only that it is in its queue", () => {
    expect(provenByHook({ ...attempt, wasBusy: true }, [{ ...hook, promptDigest: "d1" }])).toBe(
      "queued-in-agent",
    );
  });
});
