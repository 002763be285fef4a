import fc from "fast-check";
import { expect, it } from "vitest";
import { inQuotes } from "./strangers-words.ts";

it("a stranger's words stand in quotes, on one line", () => {
  expect(inQuotes("no space left", 120)).toBe('"no space left"');
  expect(inQuotes(' it is "done"\n\u001b[31mnow\t', 120)).toBe('"it is ’done’ now"');
  expect(inQuotes("", 120)).toBe('""');
});

it("what is too long says so", () => {
  expect(inQuotes("x".repeat(120), 120)).toBe(`"${"x".repeat(120)}"`);
  expect(inQuotes("x".repeat(121), 120)).toBe(`"${"x".repeat(119)}…"`);
});

it("nobody gets out of the quotes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      expect(inQuotes(text, 100)).toMatch(/^"[^"“”„‟＂\n]{0,100}"$/u);
    }),
  );
});
