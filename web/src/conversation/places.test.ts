import fc from "fast-check";
import { expect, it } from "vitest";
import { placeFor } from "./places.ts";

it("names the one that it goes before or after, so that it ends where it was dropped", () => {
  const order = ["a", "b", "c", "d", "e"];
  fc.assert(
    fc.property(fc.constantFrom(...order), fc.integer({ min: -2, max: 7 }), (id, to) => {
      const place = placeFor(order, id, to);
      const target = Math.max(0, Math.min(4, to));
      if (place === undefined) {
        expect(order.indexOf(id)).toBe(target);
        return;
      }
      const others = order.filter((one) => one !== id);
      const at = "before" in place ? others.indexOf(place.before) : others.indexOf(place.after) + 1;
      expect(others.toSpliced(at, 0, id).indexOf(id)).toBe(target);
    }),
  );
  expect(placeFor(order, "gone", 1)).toBeUndefined();
});
