import type { Clock } from "../ports/clock.ts";

/** Waits, or ends when the signal says so. */
export function rest(clock: Clock, pauseMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(pauseMs, end);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
