/**
 * Few patterns in place of many: whatever somebody subscribes to on a host, the host's summary hears it too, and
 * perhaps more. Other hosts decide by it what they send there. Pure.
 */
import { STAYING_ROOTS } from "../routing/across-hosts.ts";
import { ANY, isWildcard, ONE, PATTERN_LIMITS, type Pattern } from "../routing/pattern.ts";

/** In one summary; a host with more kinds of paths gets some messages that nobody there wants. */
export const MOST_SUMMARISED = 200;

/** In order of their text, whatever the order of the patterns. */
export function summaryOf(patterns: Iterable<Pattern>, most = MOST_SUMMARISED): readonly string[] {
  let left = withoutCovered(
    new Map([...patterns].filter(isHeardFromElsewhere).map((one) => [one.text, one])),
  );
  // The longest prefixes first: what they widen to is the least.
  for (let depth = PATTERN_LIMITS.segments - 1; left.size > most && depth > 0; depth -= 1)
    left = widened(left, depth, most);
  return left.size > most ? [ANY] : [...left.keys()].toSorted();
}

/**
 * Whether a host with this pattern in its summary may have somebody who hears the path: some path without wildcards is
 * matched by both.
 */
export function mayHear({ segments: heard }: Pattern, { segments: said }: Pattern): boolean {
  const [root = "", sayingRoot = ""] = [heard[0], said[0]];
  // Nearly all end here, when a path is compared with what every host hears.
  if (root !== sayingRoot && !isWildcard(root) && !isWildcard(sayingRoot)) return false;
  // reached[n]: what was read of the pattern, and the first n segments of the path, may be the same.
  let reached = withEmpty(said, [true, ...said.map(() => false)]);
  for (const segment of heard) reached = withEmpty(said, stepped(said, reached, segment));
  return reached.at(-1) === true;
}

function stepped(said: readonly string[], reached: readonly boolean[], segment: string): readonly boolean[] {
  if (segment === ANY) {
    const lowest = reached.indexOf(true);
    return reached.map((_, index) => lowest !== -1 && index >= lowest);
  }
  return reached.map((isReached, index) => {
    const before = said[index - 1];
    // A `**` of the path may take this segment and go on.
    if (isReached && said[index] === ANY) return true;
    if (before === undefined || before === ANY || reached[index - 1] !== true) return false;
    return before === segment || before === ONE || segment === ONE;
  });
}

/** A `**` of the path may match nothing: whoever stands before it also stands after it. */
function withEmpty(said: readonly string[], reached: readonly boolean[]): readonly boolean[] {
  const wider = [...reached];
  for (const [index, segment] of said.entries())
    if (segment === ANY && wider[index] === true) wider[index + 1] = true;
  return wider;
}

type Patterns = ReadonlyMap<string, Pattern>;

/** What is said to someone stays on their host. */
function isHeardFromElsewhere({ segments: [root = ""] }: Pattern): boolean {
  return !STAYING_ROOTS.has(root);
}

/** Puts one pattern in place of all that begin with the same segments, where that saves most, until few are left. */
function widened(patterns: Patterns, depth: number, most: number): Patterns {
  const groups = new Map<string, Pattern[]>();
  for (const pattern of patterns.values()) {
    const prefix = pattern.segments.slice(0, depth);
    if (prefix.length < depth || prefix.some(isWildcard)) continue;
    const text = prefix.join("/");
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [pattern]);
    else group.push(pattern);
  }
  const left = new Map(patterns);
  const largestFirst = [...groups].toSorted(([a, ones], [b, others]) =>
    others.length === ones.length ? (a < b ? -1 : 1) : others.length - ones.length,
  );
  for (const [prefix, group] of largestFirst) {
    if (left.size <= most || group.length < 2) break;
    const text = `${prefix}/${ANY}`;
    if (text.length > PATTERN_LIMITS.characters) continue;
    for (const pattern of group) left.delete(pattern.text);
    left.set(text, { text, segments: [...prefix.split("/"), ANY] });
  }
  return left;
}

function withoutCovered(patterns: Patterns): Patterns {
  if (patterns.has(ANY)) return new Map([[ANY, { text: ANY, segments: [ANY] }]]);
  const isCovered = ({ text, segments }: Pattern): boolean =>
    segments.some((_, end) => {
      const wider = [...segments.slice(0, end), ANY].join("/");
      return wider !== text && patterns.has(wider);
    }) ||
    (segments.at(-1) !== ANY && patterns.has(`${text}/${ANY}`));
  return new Map([...patterns].filter(([, pattern]) => !isCovered(pattern)));
}
