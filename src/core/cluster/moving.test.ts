import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { carried, isMove, luggageIn, MOST_CARRIED, MOVE_COMMAND, movedWords } from "./moving.ts";

const pattern = fc.constantFrom("team/*", "build/**", "a/b");
const luggage = fc.record({
  subscriptions: fc.uniqueArray(pattern),
  sessions: fc.array(
    fc.record({ name: fc.constantFrom("main", "monitor"), subscriptions: fc.uniqueArray(pattern) }),
    { maxLength: 3 },
  ),
});

describe("what an agent takes along", () => {
  it("arrives as it was packed", () => {
    fc.assert(
      fc.property(luggage, (packed) => {
        expect(luggageIn(JSON.parse(JSON.stringify(carried(packed))))).toEqual(packed);
      }),
    );
  });

  it.each([
    undefined,
    null,
    "team/*",
    {},
    { subscriptions: ["a"] },
    { subscriptions: "a", sessions: [] },
    { subscriptions: [1], sessions: [] },
    { subscriptions: ["a//b"], sessions: [] },
    { subscriptions: ["**/a/**/b/**"], sessions: [] },
    { subscriptions: [], sessions: [null] },
    { subscriptions: [], sessions: [{ name: "../etc", subscriptions: [] }] },
    { subscriptions: [], sessions: [{ name: "main" }] },
  ])("%j is none", (payload) => expect(luggageIn(payload)).toBeUndefined());

  it("never throws, whatever came", () => {
    fc.assert(fc.property(fc.anything(), (payload) => void luggageIn(payload)));
  });

  it("is a thousand patterns at most, with those of its sessions", () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `p/${index}`);
    const sessions = [{ name: "main", subscriptions: ["a"] }];
    expect(luggageIn({ subscriptions: many(MOST_CARRIED - 1), sessions })).toBeDefined();
    expect(luggageIn({ subscriptions: many(MOST_CARRIED), sessions })).toBeUndefined();
    expect(luggageIn({ subscriptions: many(MOST_CARRIED + 1), sessions: [] })).toBeUndefined();
  });

  it("is told of in few words", () => {
    const seven = ["a", "b", "c", "d", "e", "f", "g"];
    expect(movedWords("coder", "laptop", { subscriptions: seven, sessions: [] })).toBe(
      "coder moved here from laptop. Its subscriptions came along: a, b, c, d, e and 2 more. What waited there for it follows.",
    );
    expect(movedWords("coder", "laptop", { subscriptions: [], sessions: [] })).toBe(
      "coder moved here from laptop. What waited there for it follows.",
    );
  });
});

it("only Bellhop on that host says that an agent moves", () => {
  const said = { from: "bellhop/moves@laptop", source: "bellhop", command: MOVE_COMMAND } as const;
  expect(isMove("laptop", said)).toBe(true);
  expect(isMove("box", said)).toBe(false);
  expect(isMove("laptop", { ...said, from: "agent/coder@laptop" })).toBe(false);
  expect(isMove("laptop", { ...said, source: "script" })).toBe(false);
  expect(isMove("laptop", { ...said, command: undefined })).toBe(false);
});
