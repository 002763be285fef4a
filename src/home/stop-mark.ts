/**
 * When `bellhop down` was last called. A start takes a while, several can be under way at once, and one that waits for
 * the lock would take over as soon as the previous daemon has ended. So a stop overrules every start that began before
 * it: each checks this mark before it continues. A start that begins later is not affected.
 *
 * The mark is the modification time of an empty file, because that can be set even on a full disk.
 */
import { closeSync, openSync, statSync, utimesSync } from "node:fs";
import { BellhopError } from "../core/errors.ts";
import type { Instant } from "../core/message.ts";

/** Tells the daemon when the command that started it began. */
export const BEGAN_OPTION = "--began=";

/** A mark in the future is from before the clock was set back, and is ignored. */
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
