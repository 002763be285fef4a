import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  continuedInARow,
  type HookCandidate,
  isAnInterruptWaiting,
  mayTakeHook,
  NOBODY_KNOWS_HOW_OFTEN,
  readinessAtHook,
} from "./hook-answer.ts";
import { EVIDENCE } from "./message.ts";
import { PRIORITIES } from "./priority.ts";
import type { Readiness, ReadinessKind } from "./readiness/readiness.ts";

const moment = fc.constantFrom("tool-result" as const, "turn-end" as const);
const candidate: fc.Arbitrary<HookCandidate> = fc.record(
  {
    priority: fc.constantFrom(...PRIORITIES),
    raw: fc.boolean(),
    ways: fc.constantFrom("typed-only" as const, "typed-first" as const, "best-first" as const),
    release: fc.constantFrom("by-rule" as const, "now" as const, "withheld" as const),
    require: fc.constantFrom(...EVIDENCE),
  },
  { requiredKeys: ["priority", "raw", "ways", "release"] },
);
const kinds: readonly ReadinessKind[] = ["starting", "idle", "busy", "blocked", "exited", "unknown"];
const readiness: fc.Arbitrary<Readiness> = fc.record(
  {
    kind: fc.constantFrom(...kinds),
    because: fc.constant("so"),
    only: fc.constantFrom("response-ended" as const, "draft" as const),
  },
  { requiredKeys: ["kind", "because"] },
);

describe("what a hook may take", () => {
  it("is never raw, an interrupt, a person's words that are to be typed, or more than can be proven", () => {
    fc.assert(
      fc.property(candidate, moment, (delivery, at) => {
        if (!mayTakeHook(delivery, at)) return;
        expect(delivery.raw).toBe(false);
        expect(delivery.priority).not.toBe("interrupt");
        expect(delivery.ways).not.toBe("typed-only");
        expect(delivery.require).not.toBe("submitted");
        if (at === "turn-end") expect(delivery.ways).toBe("best-first");
      }),
    );
  });

  it("is everything else", () => {
    for (const priority of ["normal", "idle-first", "idle"] as const) {
      for (const at of ["tool-result", "turn-end"] as const) {
        const delivery = { priority, raw: false, ways: "best-first", release: "by-rule" } as const;
        expect(mayTakeHook(delivery, at)).toBe(true);
        expect(mayTakeHook({ ...delivery, require: "transcript" }, at)).toBe(true);
      }
    }
  });

  it("is nothing while an interrupt waits that nobody holds back", () => {
    const urgent = { priority: "interrupt", raw: false, ways: "best-first", release: "by-rule" } as const;
    expect(isAnInterruptWaiting([urgent])).toBe(true);
    expect(isAnInterruptWaiting([{ ...urgent, release: "withheld" }])).toBe(false);
    expect(isAnInterruptWaiting([{ ...urgent, raw: true }])).toBe(false);
  });
});

describe("a program that waits for the answer to a hook", () => {
  it("is blocked or gone if it was, and otherwise never idle in the middle of a turn", () => {
    fc.assert(
      fc.property(readiness, moment, (settled, at) => {
        const { kind } = readinessAtHook(at, settled);
        if (settled.kind === "blocked" || settled.kind === "exited") expect(kind).toBe(settled.kind);
        else if (at === "tool-result") expect(kind).toBe("busy");
        else expect(kind).toBe(settled.kind);
      }),
    );
  });
});

it("counts how often a program went on in a row, and does not know before it has seen another end", () => {
  const ends = fc.array(fc.constantFrom("continued" as const, "other" as const));
  fc.assert(
    fc.property(ends, (all) => {
      const last = all.lastIndexOf("other");
      const counted = all.reduce(continuedInARow, NOBODY_KNOWS_HOW_OFTEN);
      expect(counted).toBe(last === -1 ? Number.POSITIVE_INFINITY : all.length - 1 - last);
    }),
  );
});
