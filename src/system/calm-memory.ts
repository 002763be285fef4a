/**
 * A start leaves garbage that is a quarter of the daemon's memory. V8 gives back what an idle program does not need,
 * but only after a full collection, which a daemon that allocates little may not have for hours. So it has one as soon
 * as there is little to do: then hardly anybody waits for it (tens of milliseconds, on a busy machine up to 200).
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "../ports/clock.ts";

const LOOK_EVERY_MS = 1_000;
/** Processor time within that. */
const CALM_MS = 50;

export interface MemoryTools {
  readonly clock: Pick<Clock, "after">;
  /** The processor time of this process so far. */
  spentMs(): number;
  collect(): void;
}

const OF_THIS_PROCESS = {
  spentMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  // Without an option on the command line, only a new context has the function.
  collect: () => {
    setFlagsFromString("--expose-gc");
    const collect: unknown = runInNewContext("gc");
    setFlagsFromString("--no-expose-gc");
    if (typeof collect === "function") collect();
  },
};

export function freeMemoryWhenCalm(given: Pick<MemoryTools, "clock"> & Partial<MemoryTools>): () => void {
  const { clock, spentMs, collect } = { ...OF_THIS_PROCESS, ...given };
  let cancel = () => {};
  const wait = (): void => {
    const before = spentMs();
    cancel = clock.after(LOOK_EVERY_MS, () => (spentMs() - before > CALM_MS ? wait() : collect()));
  };
  wait();
  return () => cancel();
}
