import { expect, it } from "vitest";
import { OneAtATime } from "./one-at-a-time.ts";

it("tells the work that runs whether it is the first since a moment at which nothing ran or waited", async () => {
  const lock = new OneAtATime();
  const before = lock.free;
  let release = (): void => {};
  const first = lock.hold(async () => {
    expect(lock.isFirstSince(before)).toBe(true);
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    expect(lock.isFirstSince(before)).toBe(true);
  });
  const second = lock.hold(async () => lock.isFirstSince(before));
  await Promise.resolve();
  const meanwhile = lock.free;
  release();
  await first;
  expect(await second).toBe(false);
  expect(await lock.hold(async () => lock.isFirstSince(meanwhile))).toBe(false);
  const after = lock.free;
  await lock.hold(() => Promise.reject(new Error("broken"))).catch(() => {});
  expect(await lock.hold(async () => lock.isFirstSince(after))).toBe(false);
  const last = lock.free;
  expect(await lock.hold(async () => lock.isFirstSince(last))).toBe(true);
});
