import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CrashScene,
  decideRecovery,
  evidenceOfSubmit,
  hasReached,
  isAtLeast,
  strongest,
} from "./evidence.ts";
import { DELIVERY_STATES, EVIDENCE, TRANSPORTS } from "./message.ts";

describe("evidence", () => {
  it("orders from submitted down to accepted", () => {
    expect(isAtLeast("submitted", "screen")).toBe(true);
    expect(isAtLeast("screen", "submitted")).toBe(false);
    expect(strongest(["accepted", "transcript", "screen"])).toBe("transcript");
  });

  it("calls a submit while busy by keys only queued in the agent", () => {
    expect(evidenceOfSubmit("paste", true)).toBe("queued-in-agent");
    expect(evidenceOfSubmit("paste", false)).toBe("submitted");
    expect(evidenceOfSubmit("native", true)).toBe("submitted");
  });

  it("counts a later state as reached and an unconfirmed one as not delivered", () => {
    expect(hasReached("replied", "delivered")).toBe(true);
    expect(hasReached("unconfirmed", "delivered")).toBe(false);
    expect(hasReached("expired", "delivered")).toBe(false);
    for (const state of DELIVERY_STATES) expect(hasReached(state, state)).toBe(true);
  });
});

const scene = fc.record<CrashScene>({
  transport: fc.constantFrom(...TRANSPORTS),
  atMostOnce: fc.boolean(),
  proof: fc.option(fc.constantFrom(...EVIDENCE), { nil: undefined }),
  mixed: fc.boolean(),
  provenAbsent: fc.boolean(),
  sameProcess: fc.boolean(),
  submitted: fc.boolean(),
  composer: fc.constantFrom("our-text", "empty", "other-text", "unreadable"),
});

describe("recovery after a crash", () => {
  it("believes proof before anything else", () => {
    fc.assert(
      fc.property(scene, (it) => {
        const decision = decideRecovery(it);
        if (it.proof !== undefined) expect(decision).toEqual({ do: "delivered", evidence: it.proof });
        else expect(decision.do).not.toBe("delivered");
      }),
    );
  });

  it("neither types again nor calls delivered what was sent together with other text", () => {
    fc.assert(
      fc.property(scene, (it) => {
        if (it.mixed && it.proof === undefined) expect(decideRecovery(it)).toEqual({ do: "leave-mixed" });
        else expect(decideRecovery(it).do).not.toBe("leave-mixed");
      }),
    );
  });

  it("types again without a mark only when nothing can have arrived", () => {
    fc.assert(
      fc.property(scene, (it) => {
        if (decideRecovery(it).do === "queue-again") {
          expect(it.provenAbsent && it.sameProcess && it.proof === undefined).toBe(true);
        }
      }),
    );
  });

  it("never types again into the same program what its terminal had taken whole, proven or not", () => {
    fc.assert(
      fc.property(scene, (it) => {
        if (it.submitted !== true || !it.sameProcess) return;
        expect(["delivered", "leave-mixed", "leave-unconfirmed", "submit-only"]).toContain(
          decideRecovery(it).do,
        );
      }),
    );
  });

  it("never makes a second copy for at-most-once unless the first provably failed", () => {
    fc.assert(
      fc.property(scene, (it) => {
        if (it.atMostOnce) expect(decideRecovery(it).do).not.toBe("queue-as-possible-duplicate");
      }),
    );
  });

  it("only presses submit where our text still stands in the composer of the same program", () => {
    fc.assert(
      fc.property(scene, (it) => {
        if (decideRecovery(it).do === "submit-only") {
          expect(it).toMatchObject({ composer: "our-text", sameProcess: true, transport: "paste" });
        }
      }),
    );
  });
});
