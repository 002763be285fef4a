import { expect, it } from "vitest";
import { nowAndThen } from "./now-and-then.ts";

function scene() {
  const frames: (() => void)[] = [];
  const timers: (() => void)[] = [];
  let drawn = 0;
  const call = nowAndThen(
    { frame: (act) => frames.push(act), after: (_, act) => timers.push(act) },
    250,
    () => {
      drawn += 1;
    },
  );
  return {
    call,
    frame: () => frames.shift()?.(),
    passes: () => timers.shift()?.(),
    drawn: () => drawn,
    timers,
  };
}

it("draws with the next frame, however often it is called before", () => {
  const { call, frame, drawn } = scene();
  for (let count = 0; count < 100; count += 1) call();
  expect(drawn()).toBe(0);
  frame();
  expect(drawn()).toBe(1);
});

it("draws again only after a while, and only if it was called", () => {
  const { call, frame, passes, drawn, timers } = scene();
  call();
  frame();
  call();
  call();
  frame();
  expect(drawn()).toBe(1);
  passes();
  frame();
  expect(drawn()).toBe(2);
  passes();
  frame();
  expect(drawn()).toBe(2);
  expect(timers).toEqual([]);
});

it("misses nothing that came between the call and the frame", () => {
  const { call, frame, passes, drawn } = scene();
  call();
  call();
  frame();
  passes();
  frame();
  expect(drawn()).toBe(2);
});
