/** How a door closes: long waits end at once, everything else has until the deadline. */
import { setMaxListeners } from "node:events";

export interface Closing {
  /** Nothing new is accepted; anyone who waits for an event stops waiting. */
  readonly begun: AbortSignal;
  /** Requests still unanswered are told that the daemon is stopping. */
  readonly over: AbortSignal;
}

export interface ClosingSwitch extends Closing {
  begin(): void;
  end(): void;
}

export function closingSwitch(): ClosingSwitch {
  const begun = new AbortController();
  const over = new AbortController();
  // One listener per request under way; the number of connections bounds them.
  for (const { signal } of [begun, over]) setMaxListeners(0, signal);
  return {
    begun: begun.signal,
    over: over.signal,
    begin: () => begun.abort(),
    end: () => over.abort(),
  };
}

/** The result of the work, or `instead` if the signal comes first. */
export async function unless<T>(
  signal: AbortSignal,
  work: Promise<T>,
  instead: () => T | Promise<T>,
): Promise<T> {
  let stop = () => {};
  const stopped = new Promise<"stopped">((resolve) => {
    stop = () => resolve("stopped");
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    const first = await Promise.race([work.then((value) => ({ value })), stopped]);
    return first === "stopped" ? await instead() : first.value;
  } finally {
    signal.removeEventListener("abort", stop);
    // A later failure no longer matters, and must not end the process.
    work.catch(() => {});
  }
}

export interface Leaving {
  /** Accepts nothing new and closes once everything under way is answered. */
  finish(): void;
  /** Closes now. */
  breakAway(): void;
}

/** Closes by force whatever is still open at the deadline. */
export async function closeAll(
  connections: ReadonlySet<Leaving>,
  allClosed: () => Promise<void>,
  deadlineMs: number,
): Promise<void> {
  for (const connection of connections) connection.finish();
  const timer = setTimeout(() => {
    for (const connection of connections) connection.breakAway();
  }, deadlineMs);
  await allClosed();
  clearTimeout(timer);
}

/** After the last write, a peer that neither reads nor answers would keep the connection, and us, open for ever. */
export function cutOffAfterFarewell(farewellMs: number, cutOff: () => void): void {
  setTimeout(cutOff, farewellMs).unref();
}
