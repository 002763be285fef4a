import type { Clock } from "../../ports/clock.ts";

/** Resolves with the work, or with `late` once the time is up; the work itself goes on. */
export async function within<T, const L>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
  late: L,
): Promise<T | L> {
  let cancel = (): void => {};
  const timer = new Promise<L>((resolve) => {
    cancel = clock.after(ms, () => resolve(late));
  });
  try {
    return await Promise.race([work, timer]);
  } finally {
    cancel();
  }
}

export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}
