/** When waiting messages become a turn: once it has been quiet for a moment, or there are enough of them. */
import type { Instant } from "../message.ts";

export type BatchDecision =
  | { readonly kind: "nothing" }
  | { readonly kind: "wait"; readonly until: Instant }
  | { readonly kind: "go"; readonly count: number };

/** Someone who writes without a pause is heard after this many windows. */
const LONGEST_IN_WINDOWS = 10;

/** `queuedAt` of each, in the order in which they will go. */
export function nextTurn(
  queuedAt: readonly Instant[],
  { debounceMs, maxBatchSize }: { readonly debounceMs: number; readonly maxBatchSize: number },
  now: Instant,
): BatchDecision {
  if (queuedAt.length === 0) return { kind: "nothing" };
  const most = Math.max(1, maxBatchSize);
  if (queuedAt.length >= most) return { kind: "go", count: most };
  const all = { kind: "go", count: queuedAt.length } as const;
  const newest = Math.max(...queuedAt);
  const oldest = Math.min(...queuedAt);
  // The clock was set back: nobody knows how long they have waited.
  if (newest > now) return all;
  const until = Math.min(newest + debounceMs, oldest + debounceMs * LONGEST_IN_WINDOWS);
  return until <= now ? all : { kind: "wait", until };
}
