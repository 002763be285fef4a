import { expect, it } from "vitest";
import { whyUnproven } from "./releases.ts";

const PROVEN = ["2.1.9", "2.1.150", "2.1.325"];

it.each([
  ["2.1.325", undefined],
  ["2.1.9", undefined],
  ["2.1.326", "2.1.326 is newer than the releases proven here (2.1.9 to 2.1.325)"],
  ["3.0.0", "3.0.0 is newer than the releases proven here (2.1.9 to 2.1.325)"],
  ["2.1.8", "2.1.8 is older than the releases proven here (2.1.9 to 2.1.325)"],
  ["2.1.200", "2.1.200 is not one of the releases proven here (2.1.9, 2.1.150, 2.1.325)"],
  ["2.1.325-beta", "2.1.325-beta is newer than the releases proven here (2.1.9 to 2.1.325)"],
  [undefined, "its release is not known (proven: 2.1.9 to 2.1.325)"],
])("says of %s: %s", (version, why) => {
  expect(whyUnproven(version, PROVEN)).toBe(why);
});

it("says nothing of a program that the owner taught", () => {
  expect(whyUnproven(undefined, undefined)).toBeUndefined();
});

it("knows a program of which no release was proven", () => {
  expect(whyUnproven("1.0", [])).toBe("no release of it was ever proven");
});
