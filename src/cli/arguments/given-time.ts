/** A point in time from the command line, in this machine's zone, or an error that says how to write one. */

import { assertNever, BellhopError } from "../../core/errors.ts";
import type { Instant } from "../../core/message.ts";
import { parseDuration } from "../../core/time/duration.ts";
import { type Here, parseWhen } from "../../core/time/when.ts";
import { usage } from "../command.ts";
import { asGiven } from "./given-duration.ts";

const FORMS = '17:30, "2026-12-24 09:00" or 2026-12-24T09:00Z';

/** A time in the future. */
export function comingTime(text: string, option: string, now: Instant): Instant {
  const at = nextTime(text, option, now);
  if (at > now) return at;
  throw new BellhopError("reminder.invalid", {
    message: `"${asGiven(text)}" has already passed.`,
    next: `Give a time in the future: ${FORMS}.`,
  });
}

/** `17:30` means the next one; a date may be in the past. */
export function nextTime(text: string, option: string, now: Instant): Instant {
  if (parseDuration(text) !== undefined) {
    throw usage(
      `${option} takes a time, and "${asGiven(text)}" is a length of time.`,
      `Write a delay first, without ${option}: bellhop remind 5m "look again".`,
    );
  }
  return pointInTime(text, option, { now, offsetAt: localOffset, toward: "ahead" }, FORMS);
}

/** A time in the past: `17:30` is the last one, `2h` is two hours ago. */
export function pastTime(text: string, option: string, now: Instant): Instant {
  return agoOrAt(text, option, { now, offsetAt: localOffset, toward: "back" }, now);
}

/** The end of a period: `17:30` is the first one after its beginning, which may be in the future. */
export function timeAfter(begin: Instant, text: string, option: string, now: Instant): Instant {
  return agoOrAt(text, option, { now: begin, offsetAt: localOffset, toward: "ahead" }, now);
}

function agoOrAt(text: string, option: string, here: Here, now: Instant): Instant {
  const agoMs = parseDuration(text);
  if (agoMs !== undefined) return now - agoMs;
  return pointInTime(text, option, here, `${FORMS}, or 2h for two hours ago`);
}

function pointInTime(text: string, option: string, here: Here, forms: string): Instant {
  const when = parseWhen(text, here);
  switch (when.kind) {
    case "at":
      return when.at;
    case "impossible":
      throw usage(when.why, `Give a time that exists: ${forms}.`);
    case "unreadable":
      throw usage(`"${asGiven(text)}" is not a time for ${option}.`, `Write it as ${forms}.`);
    default:
      return assertNever(when);
  }
}

function localOffset(at: Instant): number {
  return -new Date(at).getTimezoneOffset() * 60_000;
}
