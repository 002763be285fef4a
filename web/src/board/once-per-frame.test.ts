import { expect, it } from "vitest";
import { oncePerFrame } from "./once-per-frame.ts";

it("acts once in a frame, however often it is asked, and not at all while there are no frames", () => {
  const frames: (() => void)[] = [];
  let drawn = 0;
  const draw = oncePerFrame(
    (act) => frames.push(act),
    () => {
      drawn += 1;
    },
  );
  for (let change = 0; change < 2_000; change += 1) draw();
  expect(drawn).toBe(0);
  expect(frames).toHaveLength(1);
  frames.shift()?.();
  expect(drawn).toBe(1);
  draw();
  frames.shift()?.();
  expect(drawn).toBe(2);
});
