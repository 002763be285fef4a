import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Pattern, parsePattern, patternMatches, subscriptionMatches } from "./pattern.ts";
import { SubscriptionTrie } from "./trie.ts";

describe("the trie and the naive matcher", () => {
  const RUNS = 1_000;
  const STEPS = 100;

  it(`answer alike in ${RUNS * STEPS} cases, both directions, while subscriptions come and go`, () => {
    const seen = { found: 0, empty: 0, asPath: 0, asPattern: 0 };
    fc.assert(
      fc.property(fc.array(step, { minLength: STEPS, maxLength: STEPS }), (steps) => {
        const trie = new SubscriptionTrie<string>();
        const held: { readonly pattern: Pattern; readonly subscriber: string }[] = [];
        for (const { change, pattern, subscriber, which, path } of steps) {
          if (change === "add") {
            held.push({ pattern, subscriber });
            trie.add(pattern, subscriber);
          } else if (change === "remove-other") {
            const at = held.findIndex(
              (one) => one.pattern.text === pattern.text && one.subscriber === subscriber,
            );
            removed(trie, pattern, subscriber, at !== -1);
            if (at !== -1) held.splice(at, 1);
          } else if (change === "remove-subscriber") {
            const gone = held.filter((one) => one.subscriber === subscriber);
            for (const one of gone) removed(trie, one.pattern, subscriber, true);
            held.splice(0, held.length, ...held.filter((one) => one.subscriber !== subscriber));
          } else if (held.length > 0) {
            const [gone] = held.splice(which % held.length, 1);
            if (gone !== undefined) removed(trie, gone.pattern, gone.subscriber, true);
          }
          const expected = new Set<string>();
          for (const one of held) {
            const match = naively(one.pattern.text, path.text);
            if (match === "none") continue;
            expected.add(one.subscriber);
            seen[match] += 1;
          }
          seen[expected.size > 0 ? "found" : "empty"] += 1;
          const answer = trie.match(path);
          if (answer.size !== expected.size || [...expected].some((one) => !answer.has(one))) {
            expect({ path: path.text, answer }).toEqual({ path: path.text, answer: expected });
          }
        }
        expect(trie.size).toBe(new Set(held.map((one) => `${one.subscriber} ${one.pattern.text}`)).size);
      }),
      { numRuns: RUNS },
    );
    const cases = RUNS * STEPS;
    expect(seen.found + seen.empty).toBe(cases);
    expect(seen.found).toBeGreaterThan(cases / 5);
    expect(seen.empty).toBeGreaterThan(cases / 5);
    expect(seen.asPath).toBeGreaterThan(cases / 5);
    expect(seen.asPattern).toBeGreaterThan(cases / 20);
  }, 60_000);

  const known = new Map<string, "none" | "asPath" | "asPattern">();

  /** Each pair of the pool is asked about many times. */
  function naively(pattern: string, path: string): "none" | "asPath" | "asPattern" {
    const pair = `${pattern} ${path}`;
    let match = known.get(pair);
    if (match === undefined) {
      match = !subscriptionMatches(pattern, path)
        ? "none"
        : patternMatches(pattern, path)
          ? "asPath"
          : "asPattern";
      known.set(pair, match);
    }
    return match;
  }

  /** Without an `expect` for each: a hundred thousand take longer than the trie does. */
  function removed(
    trie: SubscriptionTrie<string>,
    pattern: Pattern,
    subscriber: string,
    wanted: boolean,
  ): void {
    const found = trie.remove(pattern, subscriber);
    if (found !== wanted)
      expect({ pattern: pattern.text, subscriber, found }).toMatchObject({ found: wanted });
  }

  const POOL = pool(["a", "b", "*", "**"], 4);
  const anyPattern = fc.nat(POOL.length - 1).map((index) => POOL[index] ?? parsePattern("a"));
  const step = fc.record({
    change: fc.constantFrom(
      "add",
      "add",
      "add",
      "add",
      "add",
      "remove-held",
      "remove-held",
      "remove-held",
      "remove-other",
      "remove-subscriber",
    ),
    pattern: anyPattern,
    subscriber: fc.constantFrom("s1", "s2", "s3", "s4", "s5"),
    which: fc.nat(1_000),
    path: anyPattern,
  });

  /** Every valid pattern of up to `longest` segments. */
  function pool(alphabet: readonly string[], longest: number): readonly Pattern[] {
    let texts = alphabet;
    const all = [...alphabet];
    for (let length = 2; length <= longest; length += 1) {
      texts = texts.flatMap((text) => alphabet.map((segment) => `${text}/${segment}`));
      all.push(...texts);
    }
    const allowed = all.filter((text) => text.split("/").filter((segment) => segment === "**").length <= 2);
    return allowed.map(parsePattern);
  }
});
