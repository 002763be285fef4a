/** How long a pane that writes too much is only glimpsed, before it is followed again. Pure. */
import type { Capture } from "./capture.ts";

export const BETWEEN_GLIMPSES_MS = 250;
/** How many glimpses come before it is followed again; each try in vain doubles them. */
const GLIMPSES = { first: 4, most: 16 } as const;

/** `glimpses` of `until` have been shown; the `last` at `at`, and `alike` before it. */
export interface Flooded {
  readonly until: number;
  readonly glimpses: number;
  readonly alike?: number;
  readonly last?: string;
  readonly at?: number;
}

/** `before`: the try that was in vain; undefined if there was none lately. */
export function floodedAfter(before: Flooded | undefined): Flooded {
  const until = before === undefined ? GLIMPSES.first : Math.min(GLIMPSES.most, before.until * 2);
  return { until, glimpses: 0 };
}

export function isGlimpsing(flooded: Flooded | undefined): boolean {
  return flooded !== undefined && flooded.glimpses < flooded.until;
}

/**
 * Who joins in between gets one more, which says nothing about how the pane goes on. A pane may write the same rows again
 * and again: after a try in vain, more must be alike before it counts as still.
 */
export function afterGlimpse(
  before: Flooded | undefined,
  { screen, cursor }: Pick<Capture, "screen" | "cursor">,
  now: number,
): Flooded {
  const flooded = before ?? { until: 0, glimpses: 0 };
  const { until, glimpses, last, at = Number.NEGATIVE_INFINITY } = flooded;
  if (now < at + BETWEEN_GLIMPSES_MS) return flooded;
  const seen = JSON.stringify([screen, cursor]);
  const alike = seen === last ? (flooded.alike ?? 0) + 1 : 0;
  const isStill = alike > 0 && alike >= until / GLIMPSES.first;
  return { until, glimpses: isStill ? until : glimpses + 1, alike, last: seen, at: now };
}
