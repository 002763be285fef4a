/**
 * When `bellhop down` was last called. A start takes a while, several can be under way at once, and one that waits for
 * the lock would take over as soon as the daemon before it has ended. So a stop overrules every start that began before
 * it: each looks here before it goes on. Whoever begins later starts anew.
 *
 * It is the time of an empty file, for that can be set on a full disk too.
 */
import { closeSync, openSync, statSync, utimesSync } from "node:fs";
import { BellhopError } from "../core/errors.ts";
import type { Instant } from "../core/message.ts";

/** How the daemon is told when what started it began. */
export const BEGAN_OPTION = "--began=";

/** A mark from later than now is from before the clock was set back, and says nothing. */
const CLOCK_SLACK_MS = 1_000;

export function markStop(path: string, at: Instant): void {
  closeSync(openSync(path, "a", 0o600));
  utimesSync(path, at / 1_000, at / 1_000);
}

export function isOverruled(
  path: string,
  start: { readonly began: Instant; readonly now: Instant },
): boolean {
  const stoppedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (stoppedAt === undefined || stoppedAt > start.now + CLOCK_SLACK_MS) return false;
  return stoppedAt >= Math.floor(start.began);
}

export function overruledError(): BellhopError {
  return new BellhopError("daemon.stopping", {
    message: '"bellhop down" came while Bellhop was starting, so it is not running. Nothing was done.',
    next: 'Start it again with "bellhop up".',
  });
}
