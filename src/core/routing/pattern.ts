/** Patterns of subscriptions, and delivery paths, which may hold wildcards too: `agent/**` reaches every agent. */
import { ADDRESS_LIMITS, parseAddress } from "../address.ts";
import { BellhopError } from "../errors.ts";
import { sanitiseLine } from "../text/sanitise.ts";

/** Exactly one segment. Only a whole segment is a wildcard: `#*` is literal. */
export const ONE = "*";
/** Zero or more segments. */
export const ANY = "**";

export const PATTERN_LIMITS = { ...ADDRESS_LIMITS, anyWildcards: 2 } as const;

/** Made by `parsePattern` alone: whoever holds one need not check it again. */
export interface Pattern {
  readonly text: string;
  readonly segments: readonly string[];
}

export function isWildcard(segment: string): boolean {
  return segment === ONE || segment === ANY;
}

export function hasWildcards({ segments }: Pattern): boolean {
  return segments.some(isWildcard);
}

/** Throws `name.invalid` for what is no path, `pattern.invalid` for one that could explode. */
export function parsePattern(text: string): Pattern {
  const { address, segments } = parseAddress(normalisePath(text));
  const { anyWildcards } = PATTERN_LIMITS;
  if (segments.filter((segment) => segment === ANY).length <= anyWildcards)
    return { text: address, segments };
  throw new BellhopError("pattern.invalid", {
    message: `"${sanitiseLine(text, 80)}" has more than ${anyWildcards} "${ANY}".`,
    next: `Use "${ANY}" at most twice in one path; a "${ONE}" stands for exactly one segment.`,
  });
}

/** Without slashes at either end. A loop: `\/+$` would take quadratic time on a text of slashes. */
export function normalisePath(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === "/") start += 1;
  while (end > start && text[end - 1] === "/") end -= 1;
  return text.slice(start, end);
}

/** The wildcards of a path count as text here. Takes time in pattern × path, whatever they hold. */
export function patternMatches(pattern: string, path: string): boolean {
  const segments = normalisePath(path).split("/");
  // reached[n]: what was read of the pattern can stand for the first n segments of the path.
  let reached = [true, ...segments.map(() => false)];
  for (const wanted of normalisePath(pattern).split("/")) {
    const next = [wanted === ANY && reached[0] === true];
    for (const [index, segment] of segments.entries()) {
      const stepped = reached[index] === true && (wanted === ONE || wanted === segment);
      next.push(wanted === ANY ? reached[index + 1] === true || next[index] === true : stepped);
    }
    reached = next;
  }
  return reached.at(-1) === true;
}

/**
 * Either may be the pattern and the other the text: `slack/**` hears `slack/team/#general`, and what goes to
 * `agent/**` is heard by `agent/researcher`. The reference that the trie is held against.
 */
export function subscriptionMatches(subscription: string, path: string): boolean {
  return patternMatches(subscription, path) || patternMatches(path, subscription);
}
