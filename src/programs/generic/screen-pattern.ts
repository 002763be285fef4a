import { BellhopError } from "../../core/errors.ts";

/** A pattern from the config, matched against one row at a time. */
export interface ScreenPattern {
  /** Where the first match ends in the row; undefined if nothing matches. */
  matchEnd(row: string): number | undefined;
  /** The text of the first match. */
  matched(row: string): string | undefined;
}

export const PATTERN_LIMITS = {
  sourceCharacters: 500,
  /** How many characters of a row are examined. */
  rowCharacters: 300,
  /** How many `*`, `+` and wide `{…}` a pattern may contain. */
  repetitions: 3,
  boundedRepeat: 20,
} as const;

/**
 * Compiles a pattern of the config so that it cannot stall the daemon. Backreferences, and repeated groups that contain
 * a repetition or a choice, can take exponential time and are refused. For the rest, time grows with the row's length
 * to the power of the open repetitions, so both are limited.
 */
export function compileScreenPattern(source: string, where: string): ScreenPattern {
  const fault = faultOf(source);
  if (fault !== undefined) throw invalid(where, fault);
  let expression: RegExp;
  try {
    expression = new RegExp(source, "u");
  } catch (cause) {
    throw invalid(
      where,
      `is not a regular expression: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
  if (expression.test("")) throw invalid(where, "matches everything");
  const find = (row: string) => expression.exec(row.slice(0, PATTERN_LIMITS.rowCharacters));
  return {
    matchEnd(row) {
      const match = find(row);
      return match === null ? undefined : match.index + match[0].length;
    },
    matched: (row) => find(row)?.[0],
  };
}

function faultOf(source: string): string | undefined {
  if (source.length > PATTERN_LIMITS.sourceCharacters) {
    return `is longer than ${PATTERN_LIMITS.sourceCharacters} characters`;
  }
  if (/\\[1-9]|\\k</u.test(source.replaceAll("\\\\", ""))) return "refers back to an earlier group";
  const { repetitions, repeatedGroup } = survey(source);
  if (repeatedGroup) return "repeats a group that itself repeats or chooses";
  if (repetitions > PATTERN_LIMITS.repetitions) {
    return `has more than ${PATTERN_LIMITS.repetitions} open repetitions`;
  }
  return undefined;
}

/** One pass over the source: how often it repeats, and whether a repeated group contains a repetition or a choice. */
function survey(source: string) {
  const open: { inner: boolean }[] = [];
  let repetitions = 0;
  let repeatedGroup = false;
  let closed: { inner: boolean } | undefined;
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at] ?? "";
    const repeat = repeatAt(source, at);
    if (repeat !== undefined) {
      if (repeat.many && closed?.inner) repeatedGroup = true;
      if (repeat.open) repetitions += 1;
      for (const group of open) group.inner = true;
      at += repeat.length - 1;
      closed = undefined;
      continue;
    }
    closed = undefined;
    if (character === "\\") at += 1;
    else if (character === "[") at = endOfClass(source, at);
    else if (character === "(") {
      open.push({ inner: false });
      // The `?` of `(?:` is not a repetition.
      if (source[at + 1] === "?") at += 1;
    } else if (character === "|") for (const group of open) group.inner = true;
    else if (character === ")") closed = open.pop();
  }
  return { repetitions, repeatedGroup };
}

interface Repeat {
  readonly length: number;
  /** Repeats more than once. */
  readonly many: boolean;
  /** Has no small upper bound. */
  readonly open: boolean;
}

function repeatAt(source: string, at: number): Repeat | undefined {
  const character = source[at];
  if (character === "*" || character === "+") return { length: 1, many: true, open: true };
  if (character === "?") return { length: 1, many: false, open: false };
  const braces = /^\{(\d+)(,?)(\d*)\}/u.exec(source.slice(at, at + 24));
  if (character !== "{" || braces === null) return undefined;
  const [whole, least = "0", comma, most = ""] = braces;
  const largest = comma === "" ? Number(least) : most === "" ? Number.POSITIVE_INFINITY : Number(most);
  return { length: whole.length, many: largest > 1, open: largest > PATTERN_LIMITS.boundedRepeat };
}

function endOfClass(source: string, from: number): number {
  let at = from + 1;
  while (at < source.length && source[at] !== "]") at += source[at] === "\\" ? 2 : 1;
  return at;
}

function invalid(where: string, fault: string): BellhopError {
  return new BellhopError("config.invalid", {
    message: `${where}: the pattern ${fault}.`,
    next: `Write it simpler, for example "^> ", and check with "bellhop config".`,
  });
}
