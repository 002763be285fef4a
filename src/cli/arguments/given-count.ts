/** A number from the command line, or an error that says how to write it. */
import { type Arguments, type OptionSpec, usage } from "../command.ts";
import { asGiven } from "./given-duration.ts";

/** As many as a door returns at once. */
export const MOST_ENTRIES = 1_000;

export function limitOption(which: "newest" | "oldest"): OptionSpec {
  return { kind: "value", value: "N", summary: `at most this many, the ${which} (up to ${MOST_ENTRIES})` };
}

export function readLimit(args: Arguments): number | undefined {
  return countFrom(args.value("limit"), { option: "--limit", of: "messages", most: MOST_ENTRIES });
}

export interface CountRange {
  readonly option: string;
  /** What is counted. */
  readonly of: string;
  readonly least?: number;
  readonly most: number;
}

export function rangeInWords({ least = 1, most }: CountRange): string {
  return `a number from ${least} to ${most}`;
}

export function countFrom(text: string | undefined, range: CountRange): number | undefined {
  if (text === undefined) return undefined;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= (range.least ?? 1) && count <= range.most) return count;
  throw usage(
    `"${asGiven(text)}" is not a number of ${range.of}.`,
    `Write ${range.option} with ${rangeInWords(range)}.`,
  );
}
