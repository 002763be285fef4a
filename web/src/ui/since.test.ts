import { expect, it } from "vitest";
import { sinceInWords } from "./since.ts";

it.each([
  [-5_000, "now"],
  [59_999, "now"],
  [60_000, "1 min"],
  [3_599_999, "59 min"],
  [3_600_000, "1 h"],
  [86_400_000, "1 d"],
])("%d ms ago is %s", (ago, words) => {
  expect(sinceInWords(1_000_000_000 - ago, 1_000_000_000)).toBe(words);
});
