/**
 * Wrong tokens, counted for all callers together: on loopback, callers have no distinct addresses. Only wrong tokens
 * are slowed down. A right token is always accepted, so that a page that guesses cannot lock the owner out.
 */
import type { Instant } from "../../core/message.ts";

export const THROTTLE = { wrongTokens: 10, windowMs: 60_000 } as const;

/** When wrong tokens were shown, oldest first; at most `THROTTLE.wrongTokens`. */
export type ThrottleState = readonly Instant[];

export type ThrottleVerdict =
  | { readonly kind: "told-no" }
  | { readonly kind: "throttled"; readonly retryAfterMs: number };

/** Counts one more wrong token. */
export function throttle(state: ThrottleState, now: Instant): readonly [ThrottleState, ThrottleVerdict] {
  // If the clock was set back, times in the future no longer count, so that nobody has to wait for them.
  const recent = state.filter((at) => at <= now && now - at < THROTTLE.windowMs);
  const oldest = recent[0];
  if (oldest === undefined || recent.length < THROTTLE.wrongTokens)
    return [[...recent, now], { kind: "told-no" }];
  return [recent, { kind: "throttled", retryAfterMs: oldest + THROTTLE.windowMs - now }];
}
