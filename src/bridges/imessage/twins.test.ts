import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Cursor } from "./message-row.ts";
import { type Twin, twinsIn } from "./twins.ts";

const SECOND = 1_000_000_000n;

/** `s0 yes` is "yes", sent in second 0; `r` is received. */
function rows(...lines: readonly string[]): readonly Twin[] {
  return lines.map((line, index) => {
    const [, side, seconds = "0", essence = ""] = /^([sr])(\d+) (.*)$/u.exec(line) ?? [];
    return {
      guid: `${index}`,
      cursor: side === "s" ? "self" : "inbound",
      date: BigInt(seconds) * SECOND,
      essence,
    };
  });
}

const pairs = (...lines: readonly string[]) =>
  twinsIn(rows(...lines)).map(({ first, second }) => first + second);

describe("twins", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["a sent one and a received one", ["s0 yes", "r1 yes"], ["01"]],
    ["in the other order", ["r1 yes", "s0 yes"], ["01"]],
    ["ten seconds apart", ["s0 yes", "r10 yes"], ["01"]],
    ["not eleven", ["s0 yes", "r11 yes"], []],
    ["not with other words", ["s0 yes", "r1 no"], []],
    ["not on the same side", ["s0 yes", "s1 yes"], []],
    ["each row once", ["s0 yes", "r1 yes", "r2 yes"], ["01"]],
    ["two pairs, one after the other", ["s0 yes", "r1 yes", "s2 yes", "r3 yes"], ["01", "23"]],
    ["two pairs, crossed", ["s0 yes", "s1 yes", "r2 yes", "r3 yes"], ["02", "13"]],
    ["with others between them", ["s0 yes", "s0 no", "r1 maybe", "r1 yes"], ["03"]],
  ])("are %s", (_name, lines, expected) => {
    expect(pairs(...lines)).toEqual(expected);
  });

  it("do not change when more is written", () => {
    const row = fc.record({
      cursor: fc.constantFrom<Cursor>("inbound", "self"),
      essence: fc.constantFrom("yes", "no"),
      date: fc.bigInt({ min: 0n, max: 30n * SECOND }),
    });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), fc.nat(20), (list, length) => {
        const all = list.map((one, index) => ({ ...one, guid: `${index}` }));
        const early = twinsIn(all.slice(0, length));
        expect(twinsIn(all).slice(0, early.length)).toEqual(early);
        const paired = twinsIn(all).flatMap(({ first, second }) => [first, second]);
        expect(new Set(paired).size).toBe(paired.length);
      }),
    );
  });
});
