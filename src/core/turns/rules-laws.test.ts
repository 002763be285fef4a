import fc from "fast-check";
import { expect, it } from "vitest";
import { patternMatches } from "../routing/pattern.ts";
import { ruling, type TurnRule } from "./rules.ts";

const segment = fc.constantFrom("a", "b", "c");
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));
const pattern = fc
  .array(fc.oneof(segment, fc.constantFrom("*", "**")), { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join("/"));
const rule = fc.record({ path: pattern, from: pattern, text: segment }, { requiredKeys: [] });
const message = fc.record({ from: path, to: path, body: fc.string({ maxLength: 5 }) });

/** Without any care for empty texts, cost or what is invisible. */
const holds = (one: TurnRule, { from, to, body }: { from: string; to: string; body: string }): boolean =>
  Object.keys(one).length > 0 &&
  (one.path === undefined || patternMatches(one.path, to)) &&
  (one.from === undefined || patternMatches(one.from, from)) &&
  (one.text === undefined || body.toLowerCase().includes(one.text));

it("rejects if any rule rejects, else accepts if any accepts, else says nothing; in any order of the rules", () => {
  const law = fc.property(message, fc.array(rule), fc.array(rule), (one, alwaysAccept, alwaysReject) => {
    const expected = alwaysReject.some((each) => holds(each, one))
      ? "reject"
      : alwaysAccept.some((each) => holds(each, one))
        ? "accept"
        : undefined;
    expect(ruling(one, { alwaysAccept, alwaysReject })?.verdict).toBe(expected);
    const turned = { alwaysAccept: alwaysAccept.toReversed(), alwaysReject: alwaysReject.toReversed() };
    expect(ruling(one, turned)?.verdict).toBe(expected);
  });
  fc.assert(law, { numRuns: 2_000 });
});
