/** How everything here waits: on the clock that it was given, and no longer than somebody wants it. */
import type { Clock } from "../ports/clock.ts";
import { rest } from "../system/resting.ts";

/** Until it is settled, but no longer than this. Never rejects. */
export async function settledWithin(clock: Clock, patienceMs: number, work: Promise<unknown>): Promise<void> {
  const settled = new AbortController();
  const done = work.then(
    () => settled.abort(),
    () => settled.abort(),
  );
  await Promise.race([done, rest(clock, patienceMs, settled.signal)]);
}

/** Calls again and again, until it is cancelled. */
export function every(clock: Clock, pauseMs: number, call: () => void): () => void {
  let cancel = clock.after(pauseMs, function again() {
    cancel = clock.after(pauseMs, again);
    call();
  });
  return () => cancel();
}
