/** `--limit` from the command line, or the sentence that says how to write it. */
import { BellhopError } from "../../core/errors.ts";
import type { Arguments, OptionSpec } from "../command.ts";
import { asGiven } from "./given-duration.ts";

/** As many as a door gives at once. */
export const MOST_ENTRIES = 1_000;

export function limitOption(which: "newest" | "oldest"): OptionSpec {
  return { kind: "value", value: "N", summary: `at most this many, the ${which} (up to ${MOST_ENTRIES})` };
}

export function readLimit(args: Arguments): { readonly limit?: number } {
  const text = args.value("limit");
  if (text === undefined) return {};
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MOST_ENTRIES) return { limit: count };
  throw new BellhopError("usage.invalid", {
    message: `"${asGiven(text)}" is not a number of messages.`,
    next: `Write --limit with a number from 1 to ${MOST_ENTRIES}.`,
  });
}
