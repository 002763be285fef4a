import { describe, expect, it } from "vitest";
import { FakeClock, OpenWork } from "../../tests/desk/clock.ts";
import { freeMemoryWhenCalm } from "./calm-memory.ts";

function started() {
  const clock = new FakeClock(new OpenWork());
  const seen = { spentMs: 0, collected: 0 };
  const stop = freeMemoryWhenCalm({
    clock,
    spentMs: () => seen.spentMs,
    collect: () => {
      seen.collected += 1;
    },
  });
  const second = async (spentMs: number) => {
    seen.spentMs += spentMs;
    await clock.advance(1_000);
  };
  return { seen, stop, second };
}

describe("the memory of a start", () => {
  it("is freed once, in the first second with little to do", async () => {
    const { seen, second } = started();
    for (const spentMs of [900, 200]) await second(spentMs);
    expect(seen.collected).toBe(0);
    await second(40);
    expect(seen.collected).toBe(1);
    for (const spentMs of [900, 0, 0]) await second(spentMs);
    expect(seen.collected).toBe(1);
  });

  it("is left to the end of the process when the daemon stops first", async () => {
    const { seen, stop, second } = started();
    stop();
    await second(0);
    expect(seen.collected).toBe(0);
  });

  it("can be freed without an option of Node", async () => {
    const clock = new FakeClock(new OpenWork());
    freeMemoryWhenCalm({ clock, spentMs: () => 0 });
    await clock.advance(1_000);
    expect(globalThis).not.toHaveProperty("gc");
  });
});
