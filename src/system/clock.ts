import { uptime } from "node:os";
import type { OfficeClock } from "../ports/clock.ts";

/** Node would fire a longer timer at once: it counts delays in 31 bits. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: OfficeClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  elapsed: () => uptime() * 1_000,
  offsetAt: (at) => -new Date(at).getTimezoneOffset() * 60_000,
  after(delayMs, call) {
    let timer: NodeJS.Timeout;
    const arm = (leftMs: number): void => {
      const step = Math.min(leftMs, LONGEST_TIMER_MS);
      timer = setTimeout(() => (leftMs > step ? arm(leftMs - step) : call()), step);
    };
    arm(Math.max(0, delayMs));
    return () => clearTimeout(timer);
  },
};
