/** When a reminder is due: what a request means, and when it repeats. The caller supplies the parser of cron lines. */

import { BellhopError } from "../errors.ts";
import type { Instant } from "../message.ts";
import { LONGEST_DURATION_MS } from "./duration.ts";

export type Repeat =
  | { readonly kind: "every"; readonly ms: number }
  | { readonly kind: "cron"; readonly line: string };

export interface Wish {
  readonly afterMs?: number;
  readonly everyMs?: number;
  readonly at?: Instant;
  readonly cron?: string;
}

export interface Plan {
  readonly dueAt: Instant;
  /** A delay counts elapsed time; a date or a cron line follows the wall clock. */
  readonly counts: "elapsed" | "wall";
  readonly repeat?: Repeat;
}

export type NextByCron = (line: string, after: Instant) => Instant | undefined;

export const SHORTEST_REPEAT_MS = 1_000;

/** From what a person asked for to the first time it is due, and how it repeats. */
export function plan(wish: Wish, now: Instant, nextByCron: NextByCron): Plan {
  const { afterMs, everyMs, at, cron } = wish;
  const ways = [afterMs, at, cron].filter((way) => way !== undefined).length;
  if (ways > 1) throw invalid("Give only one: a delay, a time or a cron line.");
  if (cron !== undefined) {
    if (everyMs !== undefined)
      throw invalid("A cron line repeats by itself: leave out the other repetition.");
    const dueAt = nextByCron(cron, now);
    if (dueAt === undefined) {
      throw new BellhopError("reminder.invalid", {
        message: `${JSON.stringify(cron)} is not a cron line, or names a time that never comes.`,
        next: 'Give five fields, such as "0 9 * * 1-5": minute, hour, day, month, weekday.',
      });
    }
    return { dueAt, counts: "wall", repeat: { kind: "cron", line: cron } };
  }
  if (everyMs !== undefined && everyMs < SHORTEST_REPEAT_MS)
    throw invalid("A reminder can repeat once a second at most.");
  const repeat = everyMs === undefined ? {} : { repeat: { kind: "every", ms: everyMs } as const };
  if (at !== undefined) {
    if (at <= now) throw invalid("That time has passed.");
    if (at - now > LONGEST_DURATION_MS) throw invalid("That is more than ten years ahead.");
    return { dueAt: at, counts: "wall", ...repeat };
  }
  const first = afterMs ?? everyMs;
  if (first === undefined) throw invalid("Say when: a delay, a time, a cron line or a repetition.");
  return { dueAt: now + first, counts: "elapsed", ...repeat };
}

/** Times missed while the daemon was down count once, not each; undefined if there is no next time. */
export function nextAfter(
  repeat: Repeat | undefined,
  dueAt: Instant,
  now: Instant,
  nextByCron: NextByCron,
): Instant | undefined {
  if (repeat === undefined) return undefined;
  if (repeat.kind === "cron") return nextByCron(repeat.line, Math.max(now, dueAt));
  const steps = Math.max(1, Math.floor((now - dueAt) / repeat.ms) + 1);
  return dueAt + steps * repeat.ms;
}

function invalid(message: string): BellhopError {
  return new BellhopError("reminder.invalid", {
    message,
    next: 'For example: bellhop remind 5m "look again", or with --at 17:30, --every 30m, --cron "0 9 * * 1-5".',
  });
}
