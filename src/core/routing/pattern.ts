/** Subscription patterns, and delivery paths, which may also contain wildcards: `agent/**` reaches every agent. */
import { ADDRESS_LIMITS, parseAddress } from "../address.ts";
import { BellhopError } from "../errors.ts";
import { sanitiseLine } from "../text/sanitise.ts";

/** Exactly one segment. Only a whole segment is a wildcard: `#*` is literal. */
export const ONE = "*";
/** Zero or more segments. */
export const ANY = "**";

export const PATTERN_LIMITS = { ...ADDRESS_LIMITS, anyWildcards: 2 } as const;

/** Only `parsePattern` creates one, so it need not be checked again. */
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

/** Whoever publishes often names the same path again, and each message is asked for its path more than once. */
let lastParsed: { readonly from: string; readonly pattern: Pattern } | undefined;

/** Throws `name.invalid` for an invalid path, `pattern.invalid` for a pattern that could explode. */
export function parsePattern(text: string): Pattern {
  if (lastParsed?.from === text) return lastParsed.pattern;
  const pattern = parsed(text);
  lastParsed = { from: text, pattern };
  return pattern;
}

function parsed(text: string): Pattern {
  const { address, segments } = parseAddress(normalisePath(text));
  const { anyWildcards } = PATTERN_LIMITS;
  if (segments.filter((segment) => segment === ANY).length <= anyWildcards)
    return { text: address, segments };
  throw new BellhopError("pattern.invalid", {
    message: `"${sanitiseLine(text, 80)}" has more than ${anyWildcards} "${ANY}".`,
    next: `Use "${ANY}" at most twice in one path; a "${ONE}" stands for exactly one segment.`,
  });
}

/** Removes slashes at both ends. A loop: `\/+$` would take quadratic time on a text of slashes. */
export function normalisePath(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === "/") start += 1;
  while (end > start && text[end - 1] === "/") end -= 1;
  return text.slice(start, end);
}

/** Wildcards in the path count as text here. The time is at most pattern × path, whatever they contain. */
export function patternMatches(pattern: string, path: string): boolean {
  const segments = normalisePath(path).split("/");
  // reached[n]: the part of the pattern read so far matches the first n segments of the path.
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
 * Either side may be the pattern: `slack/**` hears `slack/team/#general`, and a message to `agent/**` is heard by
 * `agent/researcher`. The reference implementation that the trie is tested against.
 */
export function subscriptionMatches(subscription: string, path: string): boolean {
  return patternMatches(subscription, path) || patternMatches(path, subscription);
}
