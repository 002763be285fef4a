import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { firstAttachment } from "../attachment-state.ts";
import { Timers } from "../timers.ts";
import { DISPLAY_LIMITS, Display } from "./display.ts";

const SIZE = { cols: 60, rows: 8 };
let timers: Timers;
let painted: string[];
let display: Display;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: 0 });
  timers = new Timers();
  painted = [];
  display = new Display(SIZE, {
    captions: { agent: "coder", prefix: "C-\\" },
    timers,
    standing: () => firstAttachment("type", { viewers: 1, passthrough: null, exit: null, title: "" }),
    window: () => SIZE,
    write: (text) => painted.push(text),
    now: Date.now,
    flow: () => {},
  });
});
afterEach(() => {
  timers.end();
  display.close();
  vi.useRealTimers();
});

it("shows the answer to a key at once, though the key itself was looked at and had changed nothing", async () => {
  display.soon();
  await vi.advanceTimersByTimeAsync(1_000);
  painted = [];
  display.soon();
  await vi.advanceTimersByTimeAsync(DISPLAY_LIMITS.unchangedMs);
  expect(painted).toEqual([]);
  display.drawn(Buffer.from("x"));
  await vi.advanceTimersByTimeAsync(DISPLAY_LIMITS.frameMs / 2);
  expect(painted).toEqual([expect.stringContaining("x")]);
});

it("shows no more than a frame at a time of a program that writes without end", async () => {
  display.soon();
  await vi.advanceTimersByTimeAsync(1_000);
  painted = [];
  for (let ms = 0; ms < 160; ms += 1) {
    display.drawn(Buffer.from(`${ms} `));
    await vi.advanceTimersByTimeAsync(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(painted.length).toBeLessThanOrEqual(160 / DISPLAY_LIMITS.frameMs + 1);
  expect(painted.length).toBeGreaterThan(3);
});
