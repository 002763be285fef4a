/** The steps of an orderly stop, taken by the host or, if it does not answer, by the daemon. */

/** How long a program has after SIGTERM before its terminal hangs up. */
const HANG_UP_MS = 1_000;

/**
 * SIGTERM first, then SIGHUP, then SIGKILL. An interactive shell ignores SIGTERM and ends on SIGHUP. A program that
 * shuts down cleanly on SIGTERM may not handle SIGHUP and would be cut off, so SIGHUP comes later.
 */
export function stopPace(graceMs: number): { readonly hangUpMs: number; readonly killMs: number } {
  const hangUpMs = Math.min(HANG_UP_MS, graceMs / 2);
  return { hangUpMs, killMs: graceMs - hangUpMs };
}
