/** Anything that may be seen of a program, in any order or at realistic times: for the laws of readiness. */
import fc from "fast-check";
import type { Signal, TurnEvent } from "../src/core/readiness/readiness.ts";
import type { Reading } from "../src/core/readiness/reading.ts";
import { dialog, draft, empty, hook, screen, T, unreadable, working } from "./readiness-signals.ts";

export const event = fc.constantFrom<TurnEvent>(
  ...(["session-start", "prompt-submitted", "turn-ended", "turn-failed"] as const),
  ...(["permission-asked", "idle-notice", "session-ended"] as const),
);
export const reading = fc.constantFrom<Reading>(empty, working, draft, dialog, unreadable, {
  ...empty,
  busy: "idle",
});
export const at = fc.integer({ min: 0, max: 120_000 });
export const hookSignal = fc.record({ event, at }).map((each) => hook(each.event, each.at));
const screenSignal = fc
  .record({ reading, at, quiet: fc.integer({ min: 0, max: 60_000 }) })
  .map((each) => screen(each.reading, each.at, each.quiet));
export const signal: fc.Arbitrary<Signal> = fc.oneof(
  hookSignal,
  screenSignal,
  at.map((time): Signal => ({ kind: "handed-over", at: T + time })),
  at.map((time): Signal => ({ kind: "interrupted", at: T + time })),
  fc
    .record({
      change: fc.constantFrom("started" as const, "stopped" as const),
      id: fc.constantFrom("s1", "s2"),
      at,
    })
    .map((each): Signal => ({ kind: "sub-agent", ...each, at: T + each.at })),
);
export const inTime = fc
  .array(signal, { maxLength: 15 })
  .map((signals) => signals.toSorted((a, b) => a.at - b.at));
