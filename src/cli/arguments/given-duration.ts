/** A duration from the command line, or an error that says how to write one. */

import { sanitiseLine } from "../../core/text/sanitise.ts";
import { parseDuration } from "../../core/time/duration.ts";
import { usage } from "../command.ts";

const SHOWN_CHARACTERS = 40;

/** `option` is where it was given: `--timeout`. */
export function durationFrom(text: string, option?: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  const place = option === undefined ? "" : ` for ${option}`;
  throw usage(
    `"${asGiven(text)}" is not a length of time${place}.`,
    "Write it as 30s, 5m, 1h30m or 2d (a plain number counts seconds), ten years at most.",
  );
}

/** What a person typed, as far as it helps to repeat it. */
export function asGiven(text: string): string {
  const line = sanitiseLine(text, SHOWN_CHARACTERS);
  return line.length < text.length ? `${line}…` : line;
}
