/** How a door closes: long waits end at once, everything else has until the deadline. */
import { setMaxListeners } from "node:events";

export interface Closing {
  /** Nothing new is taken; whoever waits for something to happen waits no longer. */
  readonly begun: AbortSignal;
  /** What is not answered by now is told that the daemon stops. */
  readonly over: AbortSignal;
}

export interface ClosingSwitch extends Closing {
  begin(): void;
  end(): void;
}

export function closingSwitch(): ClosingSwitch {
  const begun = new AbortController();
  const over = new AbortController();
  // One listener for each request under way; the number of connections bounds them.
  for (const { signal } of [begun, over]) setMaxListeners(0, signal);
  return {
    begun: begun.signal,
    over: over.signal,
    begin: () => begun.abort(),
    end: () => over.abort(),
  };
}

/** What the work brings, or `instead` if the signal comes first. */
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
    // What comes later is nobody's business any more, and must not end the process.
    work.catch(() => {});
  }
}

export interface Leaving {
  /** Takes nothing new and leaves once what is under way is answered. */
  finish(): void;
  /** Leaves now. */
  breakAway(): void;
}

/** Whoever has not left at the deadline is made to. */
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

/** The last words are said. A peer that does not read or answer would keep them, and us, for ever. */
export function cutOffAfterFarewell(farewellMs: number, cutOff: () => void): void {
  setTimeout(cutOff, farewellMs).unref();
}
