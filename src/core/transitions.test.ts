import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DELIVERY_STATES, type DeliveryState } from "./message.ts";
import { isFinal, mayFollow, movedOn, statesBefore } from "./transitions.ts";

const states = fc.constantFrom(...DELIVERY_STATES);

/** From `queued`, where every delivery begins; a refused change changes nothing. */
function lived(wanted: readonly DeliveryState[]): readonly DeliveryState[] {
  const life: DeliveryState[] = ["queued"];
  for (const next of wanted) if (mayFollow(life.at(-1) ?? "queued", next)) life.push(next);
  return life;
}

describe("which state may follow which", () => {
  it("lets nothing follow an end, whatever is tried", () => {
    fc.assert(
      fc.property(fc.array(states, { maxLength: 40 }), (wanted) => {
        const life = lived(wanted);
        for (const state of life.slice(0, -1)) expect(isFinal(state)).toBe(false);
      }),
    );
    expect(DELIVERY_STATES.filter(isFinal)).toEqual(["replied", "expired", "cancelled", "failed"]);
  });

  it("never goes back from what was delivered, read or answered, and waits again only after an attempt", () => {
    const ranks = { delivered: 1, read: 2, replied: 3 } as const;
    const rankOf = (state: DeliveryState): number =>
      state in ranks ? ranks[state as keyof typeof ranks] : 0;
    fc.assert(
      fc.property(fc.array(states, { maxLength: 40 }), (wanted) => {
        const life = lived(wanted);
        for (const [at, state] of life.entries()) {
          const before = life[at - 1];
          if (before === undefined) continue;
          expect(rankOf(state)).toBeGreaterThanOrEqual(rankOf(before));
          if (state === "queued") expect(before).toBe("delivering");
        }
      }),
    );
  });

  it("expires and cancels only what waits, and begins only what waits", () => {
    for (const state of ["expired", "cancelled", "delivering"] as const)
      expect(statesBefore(state)).toEqual(["queued"]);
  });

  it("reaches every state from the first", () => {
    for (const state of DELIVERY_STATES)
      expect(state === "queued" || statesBefore(state).length > 0).toBe(true);
  });

  it("reads the same in both directions", () => {
    fc.assert(
      fc.property(states, states, (from, to) => {
        expect(statesBefore(to).includes(from)).toBe(mayFollow(from, to));
      }),
    );
  });

  it("says what it is, what it cannot become, and where to look", () => {
    expect(movedOn("m.1", "replied", "queued").toDetail()).toEqual({
      code: "delivery.moved_on",
      message: 'The delivery "m.1" is replied, and cannot become queued any more.',
      next: 'See what became of it with "bellhop show m.1".',
    });
  });
});
