/** How a program is ended in good order, by its host or, where that does not answer, by the daemon. */

/** What a stop gives a program before it hangs up. */
const HANG_UP_MS = 1_000;

/**
 * First asked, then hung up on, then killed. A shell at a terminal ignores SIGTERM and ends when it is hung up; a program
 * that ends in good order at SIGTERM may know nothing of that and would be cut off, so it comes later.
 */
export function stopPace(graceMs: number): { readonly hangUpMs: number; readonly killMs: number } {
  const hangUpMs = Math.min(HANG_UP_MS, graceMs / 2);
  return { hangUpMs, killMs: graceMs - hangUpMs };
}
