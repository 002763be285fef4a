/** Sequences of signals from a program, for the readiness suites; times count from `T`. */
import {
  initialReadiness,
  type ReadinessKind,
  type ReadinessState,
  readinessAt,
  reduceReadiness,
  type Signal,
  type TurnEvent,
} from "../src/core/readiness/readiness.ts";
import type { Reading } from "../src/core/readiness/reading.ts";

export const T = 1_000_000;
export const SETTLE = 600;
export const FOREVER = 3_600_000;

type Composer = Extract<Reading, { kind: "composer" }>;
export const empty: Composer = {
  kind: "composer",
  draft: { kind: "empty" },
  busy: "unseen",
  stash: "none",
  caret: { x: 2, y: 3 },
};
export const working: Composer = { ...empty, busy: "busy" };
export const draft: Composer = {
  ...empty,
  draft: { kind: "text", text: "half a thought", exact: false, lines: 1 },
};
export const dialog: Reading = { kind: "dialog", fingerprint: "f", title: "Run this?" };
export const unreadable: Reading = { kind: "unknown", why: "copy mode" };

export function hook(event: TurnEvent, at: number, subAgent?: string): Signal {
  return { kind: "hook", event, at: T + at, ...(subAgent === undefined ? {} : { subAgent }) };
}

export function screen(reading: Reading, at: number, quietForMs = 0): Signal {
  return { kind: "screen", reading, at: T + at, quietForMs };
}

export function course(
  signals: readonly Signal[],
  options: { readonly hooked?: boolean } = {},
): ReadinessState {
  const start = initialReadiness({ at: T, hooked: options.hooked ?? true, settleMs: SETTLE });
  return signals.reduce(reduceReadiness, start);
}

export function kindAt(
  signals: readonly Signal[],
  at: number,
  options: { readonly hooked?: boolean } = {},
): ReadinessKind {
  return readinessAt(course(signals, options), T + at).kind;
}

export const turn = [hook("prompt-submitted", 1_000), hook("turn-ended", 9_000)];
