import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PRIORITIES } from "./priority.ts";
import { byDrain } from "./queue.ts";
import { canStandBeside, placedBeside, type Side } from "./reorder.ts";

const id = (index: number) => `d${String(index).padStart(2, "0")}`;

describe("placing beside another, for any line and any moves", () => {
  const priority = fc.constantFrom(...PRIORITIES);
  const side = fc.constantFrom<Side>("before", "after");

  it("keeps the order that a person would write down by hand, however often", () => {
    const moves = fc.array(fc.tuple(fc.nat(7), fc.nat(7), side), { maxLength: 200 });
    fc.assert(
      fc.property(priority, fc.integer({ min: 2, max: 8 }), moves, (step, count, all) => {
        const positions = new Map(
          Array.from({ length: count }, (_, index) => [id(index), 65_536 * (900_000 + index) + 1] as const),
        );
        const placed = () =>
          [...positions].map(([deliveryId, position]) => ({
            deliveryId,
            position,
            priority: step,
            release: "by-rule" as const,
          }));
        let byHand = placed()
          .toSorted(byDrain)
          .map(({ deliveryId }) => deliveryId);
        for (const [one, other, where] of all) {
          const [moved, anchor] = [id(one % count), id(other % count)];
          const line = [...positions].map(([key, position]) => ({ id: key, position }));
          const beside = { id: anchor, position: positions.get(anchor) ?? 0 };
          for (const [key, position] of placedBeside(line, moved, beside, where, step))
            positions.set(key, position);
          if (moved !== anchor) {
            byHand = byHand.filter((key) => key !== moved);
            byHand.splice(byHand.indexOf(anchor) + (where === "before" ? 0 : 1), 0, moved);
          }
        }
        const drained = placed().toSorted(byDrain);
        expect(drained.map(({ deliveryId }) => deliveryId)).toEqual(byHand);
        expect(new Set(positions.values()).size).toBe(count);
      }),
    );
  });

  it("leaves everything before what comes later", () => {
    const last = 65_536 * 900_003 + 1;
    let line = [0, 1, 2].map((index) => ({ id: id(index), position: 65_536 * (900_000 + index) + 1 }));
    for (let round = 0; round < 500; round += 1) {
      const [moved, anchor] = [line[round % 3], line[(round + 1) % 3]];
      if (moved === undefined || anchor === undefined) throw new Error("three are in line");
      const places = placedBeside(line, moved.id, anchor, "after", "normal");
      line = line.map((one) => ({ ...one, position: places.get(one.id) ?? one.position }));
      for (const { position } of line) expect(position).toBeLessThan(last);
    }
  });

  it("changes no place but one while there is room", () => {
    const line = [1, 2, 3].map((index) => ({ id: id(index), position: 65_536 * index + 1 }));
    const anchor = { id: id(1), position: 65_537 };
    expect([...placedBeside(line, id(3), anchor, "after", "normal").keys()]).toEqual([id(3)]);
    expect(placedBeside(line, id(1), anchor, "after", "normal").size).toBe(0);
  });

  it("puts nothing among what was released, except among interrupts, which go first anyway", () => {
    const anchor = { deliveryId: "a", position: 1, priority: "normal", release: "now" } as const;
    expect(canStandBeside({ release: "by-rule" }, anchor)).toBe(false);
    expect(canStandBeside({ release: "withheld" }, anchor)).toBe(false);
    expect(canStandBeside({ release: "now" }, anchor)).toBe(true);
    expect(canStandBeside({ release: "now" }, { ...anchor, release: "by-rule" })).toBe(false);
    expect(canStandBeside({ release: "by-rule" }, { ...anchor, priority: "interrupt" })).toBe(true);
  });
});
