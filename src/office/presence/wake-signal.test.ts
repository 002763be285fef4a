import { describe, expect, it } from "vitest";
import { FakeClock, OpenWork } from "../../../tests/desk/clock.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import { WakeSignal } from "./wake-signal.ts";

function aSignal(): { signal: WakeSignal; clock: FakeClock } {
  const clock = new FakeClock(new OpenWork());
  return { signal: new WakeSignal(clock), clock };
}

describe("a wake signal", () => {
  it("wakes its sleeper", async () => {
    const { signal } = aSignal();
    const asleep = signal.sleep("on-signal");
    signal.ring();
    await asleep;
  });

  it("does not lose a ring that came before the sleep, and wakes once for it", async () => {
    const { signal, clock } = aSignal();
    signal.ring();
    signal.ring();
    await signal.sleep("on-signal");
    let awake = false;
    const second = signal.sleep(clock.now() + 1_000).then(() => {
      awake = true;
    });
    await clock.advance(999);
    expect(awake).toBe(false);
    await clock.advance(1);
    await second;
  });

  it("lets its sleeper wake by itself, also at an instant that has passed", async () => {
    const { signal, clock } = aSignal();
    const asleep = signal.sleep(clock.now() - 5);
    await clock.advance(0);
    await asleep;
  });
});

describe("a lock", () => {
  it("is held by one at a time, in order of asking", async () => {
    const lock = new OneAtATime();
    const seen: string[] = [];
    const hold = (name: string) =>
      lock.hold(async () => {
        seen.push(`${name} in`);
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        seen.push(`${name} out`);
      });
    await Promise.all([hold("a"), hold("b")]);
    expect(seen).toEqual(["a in", "a out", "b in", "b out"]);
  });

  it("is free again after a failure", async () => {
    const lock = new OneAtATime();
    await expect(lock.hold(() => Promise.reject(new Error("x")))).rejects.toThrow("x");
    await expect(lock.hold(async () => 1)).resolves.toBe(1);
  });
});
