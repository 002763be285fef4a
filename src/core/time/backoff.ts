/** How long to wait before trying again: twice as long each time, up to a limit. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * `attempt` counts from 0. `jitter`, from 0 to 1, subtracts up to half, so that clients that lost the same connection
 * do not all reconnect at the same moment.
 */
export function backoffMs({ firstMs, longestMs }: Backoff, attempt: number, jitter = 0): number {
  return Math.min(firstMs * 2 ** attempt, longestMs) * (1 - jitter / 2);
}
