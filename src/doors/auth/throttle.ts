/**
 * Wrong tokens, counted for all callers together: on loopback nobody has an address of their own. Only they are slowed
 * down. A right token is let in at any time, so that a page that guesses cannot lock the owner out.
 */
import type { Instant } from "../../core/message.ts";

export const THROTTLE = { wrongTokens: 10, windowMs: 60_000 } as const;

/** When wrong tokens came, oldest first; never more than `THROTTLE.wrongTokens`. */
export type ThrottleState = readonly Instant[];

export type ThrottleVerdict =
  | { readonly kind: "told-no" }
  | { readonly kind: "throttled"; readonly retryAfterMs: number };

/** One more wrong token came. */
export function throttle(state: ThrottleState, now: Instant): readonly [ThrottleState, ThrottleVerdict] {
  // A clock that was set back must not keep anybody waiting: what lies ahead of it counts no more.
  const recent = state.filter((at) => at <= now && now - at < THROTTLE.windowMs);
  const oldest = recent[0];
  if (oldest === undefined || recent.length < THROTTLE.wrongTokens)
    return [[...recent, now], { kind: "told-no" }];
  return [recent, { kind: "throttled", retryAfterMs: oldest + THROTTLE.windowMs - now }];
}
