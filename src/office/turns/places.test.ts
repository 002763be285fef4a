import { describe, expect, it } from "vitest";
import { Places } from "./places.ts";

class Someone {
  woken = 0;
  wake(): void {
    this.woken += 1;
  }
}

describe("places", () => {
  it("are given to as many as there are, and each that is left wakes one who waits, in order", () => {
    const places = new Places<Someone>(() => 2);
    const [first, second, third, fourth] = [new Someone(), new Someone(), new Someone(), new Someone()];
    const leaveFirst = places.take(first);
    const leaveSecond = places.take(second);
    expect([places.take(third), places.take(fourth)]).toEqual([undefined, undefined]);
    leaveFirst?.();
    expect([third.woken, fourth.woken]).toEqual([1, 0]);
    leaveSecond?.();
    expect([third.woken, fourth.woken]).toEqual([1, 1]);
  });

  it("go to the next one if the first does not need its place any more", () => {
    const places = new Places<Someone>(() => 1);
    const [first, second, third] = [new Someone(), new Someone(), new Someone()];
    const leave = places.take(first);
    places.take(second);
    places.take(third);
    leave?.();
    // The second has looked, and has nothing to do.
    places.offer();
    expect([second.woken, third.woken]).toEqual([1, 1]);
  });
});
