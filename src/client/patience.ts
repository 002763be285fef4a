/** Retries while the daemon is away. */
import { BellhopError } from "../core/errors.ts";
import { type Backoff, backoffMs } from "../core/time/backoff.ts";

export interface Patience {
  /** How long to wait for an absent daemon. */
  readonly patienceMs: number;
  pause(ms: number): Promise<void>;
  now(): number;
  /** From 0 to 1: how much earlier than planned the next attempt is made. */
  jitter?(): number;
}

const CLIENT_BACKOFF: Backoff = { firstMs: 50, longestMs: 2_000 };

/** Rejects with the error of the last attempt, once another would be too late or cannot help. */
export function patiently<Done>(
  work: () => Promise<Done>,
  mayTryAgain: (error: unknown) => boolean,
  patience: Patience,
  backoff: Backoff = CLIENT_BACKOFF,
): Promise<Done> {
  const until = patience.now() + patience.patienceMs;
  // Not async: nearly all succeed at once, and each waits for its answer together with hundreds of others.
  return work().catch((error: unknown) => tryAgain(error, until, work, mayTryAgain, patience, backoff));
}

async function tryAgain<Done>(
  first: unknown,
  until: number,
  work: () => Promise<Done>,
  mayTryAgain: (error: unknown) => boolean,
  { pause, now, jitter = () => 0 }: Patience,
  backoff: Backoff,
): Promise<Done> {
  let error = first;
  for (let attempt = 0; ; attempt += 1) {
    const waitMs = backoffMs(backoff, attempt, jitter());
    if (!mayTryAgain(error) || now() + waitMs > until) throw error;
    await pause(waitMs);
    try {
      return await work();
    } catch (again) {
      error = again;
    }
  }
}

const ABSENT: readonly string[] = ["daemon.not_running", "daemon.unreachable", "daemon.stopping"];

/** The daemon may be back in a moment. */
export function isAbsence(error: unknown): error is BellhopError {
  return error instanceof BellhopError && ABSENT.includes(error.code);
}
