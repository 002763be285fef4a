/**
 * How the page stands with the daemon. Only while it is live does anybody's click reach an agent.
 *
 *   connecting ─▶ live ─▶ stale ─▶ live
 *        │         │  └─▶ checking ─▶ live, stale
 *        └─────────┴──────────────▶ logged-out
 */
export type Link =
  /** Nothing is known yet. */
  | { readonly at: "connecting" }
  | { readonly at: "live" }
  /** It was quiet for a while, or the page was not seen, and no answer has come yet. */
  | { readonly at: "checking" }
  /** What is shown is how it was when the connection was lost. */
  | { readonly at: "stale" }
  | { readonly at: "logged-out"; readonly why: string };

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = { here: 3_000, elsewhere: 5_000 };

/** Somebody looks at the page while it tries, and a try on the same machine costs nothing. */
export function longestRetryMs(hostname: string): number {
  const isHere = /^(127\..*|\[::1\]|(.*\.)?localhost)$/.test(hostname);
  return isHere ? LONGEST_RETRY_MS.here : LONGEST_RETRY_MS.elsewhere;
}

/** Doubles with each attempt. Half of it is random: after a restart, not all pages come back at once. */
export function retryAfterMs(attempt: number, random: number, longestMs: number): number {
  const whole = Math.min(longestMs, FIRST_RETRY_MS * 2 ** Math.min(attempt, 10));
  return Math.round(whole * (0.5 + random / 2));
}

export function lost(before: Link): Link {
  return before.at === "live" || before.at === "checking" ? { at: "stale" } : before;
}
