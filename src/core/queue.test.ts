import { describe, expect, it } from "vitest";
import { LIMITS, type Priority } from "./message.ts";
import { type Choice, choose, type QueuePolicy, type Waiting } from "./queue.ts";
import type { Readiness, ReadinessKind } from "./readiness/readiness.ts";

const policy: QueuePolicy = { agent: "coder", paused: false, maxBatch: 10, reachesBusy: false };

function be(kind: ReadinessKind): Readiness {
  return { kind, because: "a test says so" };
}

function item(
  deliveryId: string,
  priority: Priority,
  position: number,
  more: Partial<Waiting> = {},
): Waiting {
  return { deliveryId, shortId: deliveryId, priority, position, raw: false, release: "by-rule", ...more };
}

function delivered(choice: Choice): readonly string[] {
  return choice.kind === "deliver" ? choice.deliveryIds : [];
}

function holds(choice: Choice): Record<string, string> {
  return choice.kind === "nothing"
    ? {}
    : Object.fromEntries(choice.holds.map(({ deliveryId, reason }) => [deliveryId, reason]));
}

const mixed = [
  item("idle1", "idle", 1),
  item("first2", "idle-first", 2),
  item("normal3", "normal", 3),
  item("first4", "idle-first", 4),
  item("urgent5", "interrupt", 5),
  item("normal6", "normal", 6),
  item("idle7", "idle", 7),
];

describe("choose", () => {
  it("has nothing to do with an empty queue", () => {
    expect(choose([], be("idle"), policy)).toEqual({ kind: "nothing" });
  });

  it("drains everything into one prompt when idle: by priority, idle-first the newest first", () => {
    expect(choose(mixed, be("idle"), policy)).toEqual({
      kind: "deliver",
      deliveryIds: ["urgent5", "normal3", "normal6", "first4", "first2", "idle1", "idle7"],
      interrupting: false,
      holds: [],
    });
  });

  it("holds what does not fit into the batch until it is in", () => {
    const choice = choose(mixed, be("idle"), { ...policy, maxBatch: 2 });
    expect(delivered(choice)).toEqual(["urgent5", "normal3"]);
    expect(holds(choice)).toEqual({
      normal6: "busy",
      first4: "busy",
      first2: "busy",
      idle1: "busy",
      idle7: "busy",
    });
  });

  it("takes at most the limit and at least one, whatever the policy says", () => {
    const many = Array.from({ length: LIMITS.batch + 5 }, (_, index) => item(`d${index}`, "normal", index));
    expect(delivered(choose(many, be("idle"), { ...policy, maxBatch: 1_000 }))).toHaveLength(LIMITS.batch);
    expect(delivered(choose(many, be("idle"), { ...policy, maxBatch: LIMITS.batch }))).toHaveLength(
      LIMITS.batch,
    );
    for (const maxBatch of [0, -1, Number.NaN, 0.5]) {
      expect(delivered(choose(many, be("idle"), { ...policy, maxBatch }))).toEqual(["d0"]);
    }
  });

  it("follows a person's new order within a priority", () => {
    const moved = [item("a", "normal", 3), item("b", "normal", 1.5), item("c", "normal", 2)];
    expect(delivered(choose(moved, be("idle"), policy))).toEqual(["b", "c", "a"]);
  });

  describe("while busy", () => {
    it("offers interrupts only, and by themselves", () => {
      const choice = choose(mixed, be("busy"), { ...policy, reachesBusy: true });
      expect(choice).toMatchObject({ deliveryIds: ["urgent5"], interrupting: true });
    });

    it("reaches normal ones through a native rung, and holds the others", () => {
      const quiet = mixed.filter(({ priority }) => priority !== "interrupt");
      const choice = choose(quiet, be("busy"), { ...policy, reachesBusy: true });
      expect(choice).toMatchObject({ deliveryIds: ["normal3", "normal6"], interrupting: false });
      expect(holds(choice)).toEqual({ first4: "busy", first2: "busy", idle1: "busy", idle7: "busy" });
    });

    it("holds everything else when only keys are left", () => {
      const quiet = mixed.filter(({ priority }) => priority !== "interrupt");
      expect(choose(quiet, be("busy"), policy).kind).toBe("wait");
    });

    it("types normal ones when the response has ended, though sub-agents still run", () => {
      const ended: Readiness = { ...be("busy"), only: "response-ended" };
      const quiet = mixed.filter(({ priority }) => priority !== "interrupt");
      for (const reachesBusy of [false, true]) {
        const typed = quiet.map((one) => ({ ...one, typedOnly: true }));
        const choice = choose(typed, ended, { ...policy, reachesBusy });
        expect(choice).toMatchObject({ deliveryIds: ["normal3", "normal6"], interrupting: false });
        expect(holds(choice)).toEqual({ first4: "busy", first2: "busy", idle1: "busy", idle7: "busy" });
      }
    });

    it("holds for the draft where that is all that is known, and not for a turn", () => {
      const drafted: Readiness = { ...be("busy"), only: "draft" };
      const quiet = mixed.filter(({ priority }) => priority !== "interrupt");
      const choice = choose(quiet, drafted, policy);
      expect(new Set(Object.values(holds(choice)))).toEqual(new Set(["typing"]));
      expect(delivered(choose(mixed, drafted, policy))).toEqual(["urgent5"]);
    });

    it("keeps raw keys out, whatever their priority, and lets others pass them", () => {
      const waiting = [item("raw", "interrupt", 1, { raw: true }), item("text", "interrupt", 2)];
      const choice = choose(waiting, be("busy"), { ...policy, reachesBusy: true });
      expect(choice).toMatchObject({ deliveryIds: ["text"], interrupting: true });
      expect(holds(choice)).toEqual({ raw: "busy" });
    });
  });

  describe("while a dialog is open", () => {
    it("offers interrupts, which the endpoint may dismiss it for", () => {
      const choice = choose(mixed, be("blocked"), { ...policy, reachesBusy: true });
      expect(choice).toMatchObject({ deliveryIds: ["urgent5"], interrupting: true });
      expect(new Set(Object.values(holds(choice)))).toEqual(new Set(["blocked"]));
    });

    it("lets a raw answer in, without interrupting", () => {
      const choice = choose(
        [item("text", "normal", 1), item("yes", "normal", 2, { raw: true })],
        be("blocked"),
        policy,
      );
      expect(choice).toMatchObject({ deliveryIds: ["yes"], interrupting: false });
      expect(holds(choice)).toEqual({ text: "blocked" });
    });

    it("does not let an interrupt that cannot dismiss it stand before the answer", () => {
      const waiting = [item("urgent", "interrupt", 1), item("yes", "normal", 2, { raw: true })];
      const choice = choose(waiting, be("blocked"), { ...policy, canDismiss: false });
      expect(delivered(choice)).toEqual(["yes"]);
      expect(holds(choice)).toEqual({ urgent: "blocked" });
    });
  });

  it("lets only an interrupt in words through while a person has the keyboard", () => {
    const rawKeys = item("raw", "interrupt", 0, { raw: true });
    const released = item("now", "normal", 8, { release: "now" });
    const choice = choose([...mixed, rawKeys, released], be("idle"), { ...policy, attached: true });
    expect(delivered(choice)).toEqual(["urgent5"]);
    expect(new Set(Object.values(holds(choice)))).toEqual(new Set(["attached"]));
  });

  it.each(["starting", "unknown"] as const)(
    "offers only interrupts while %s, for the endpoint to look",
    (kind) => {
      const choice = choose([...mixed, item("raw", "interrupt", 0, { raw: true })], be(kind), policy);
      expect(choice).toMatchObject({ deliveryIds: ["urgent5"], interrupting: true });
      expect(holds(choice)).toMatchObject({ normal3: kind === "starting" ? "busy" : "unknown" });
      expect(holds(choice)).toMatchObject({ raw: kind === "starting" ? "busy" : "unknown" });
    },
  );

  it("holds everything as offline once the program has ended", () => {
    const all = [
      ...mixed,
      item("now", "normal", 8, { release: "now" }),
      item("kept", "normal", 9, { release: "withheld" }),
    ];
    const choice = choose(all, be("exited"), policy);
    expect(choice.kind).toBe("wait");
    expect(Object.values(holds(choice))).toEqual(all.map(() => "offline"));
  });

  describe("raw", () => {
    it("goes alone, in its place", () => {
      const waiting = [
        item("a", "normal", 1),
        item("raw", "normal", 2, { raw: true }),
        item("b", "normal", 3),
        item("raw2", "idle", 4, { raw: true }),
      ];
      const rounds: (readonly string[])[] = [];
      let left = waiting;
      while (left.length > 0) {
        const round = delivered(choose(left, be("idle"), policy));
        rounds.push(round);
        left = left.filter(({ deliveryId }) => !round.includes(deliveryId));
      }
      expect(rounds).toEqual([["a"], ["raw"], ["b"], ["raw2"]]);
    });
  });

  describe("what a person said", () => {
    it("keeps back what is withheld, and says how it is let go", () => {
      const choice = choose([item("kept", "interrupt", 1, { release: "withheld" })], be("idle"), policy);
      expect(choice).toMatchObject({ kind: "wait", holds: [{ reason: "paused" }] });
      expect(choice.kind === "wait" && choice.holds[0]?.release).toContain("bellhop queue now kept");
    });

    it("lets only interrupts and released ones through a pause", () => {
      const waiting = [...mixed, item("now", "idle", 8, { release: "now" })];
      const choice = choose(waiting, be("idle"), { ...policy, paused: true });
      expect(delivered(choice)).toEqual(["urgent5", "now"]);
      expect(new Set(Object.values(holds(choice)))).toEqual(new Set(["paused"]));
      expect(choice.kind === "deliver" && choice.holds[0]?.release).toContain("bellhop queue unpause coder");
    });

    it("puts a released one before the full batch that it would otherwise wait behind", () => {
      const many = Array.from({ length: 15 }, (_, index) => item(`d${index}`, "normal", index));
      const choice = choose([...many, item("now", "idle", 99, { release: "now" })], be("idle"), policy);
      expect(delivered(choice)[0]).toBe("now");
    });

    it.each(["busy", "starting", "unknown"] as const)(
      "opens a released one while %s, apart from the others",
      (kind) => {
        const waiting = [item("now", "idle", 2, { release: "now" }), item("normal", "normal", 1)];
        const choice = choose(waiting, be(kind), { ...policy, reachesBusy: true });
        expect(choice).toMatchObject({ deliveryIds: ["now"], interrupting: false });
      },
    );

    it("never releases a text into a dialog", () => {
      expect(holds(choose([item("now", "normal", 1, { release: "now" })], be("blocked"), policy))).toEqual({
        now: "blocked",
      });
    });
  });
});
