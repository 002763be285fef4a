import { expect, it } from "vitest";
import { keyRange, ownKey } from "./own-key.ts";

it("tells apart what blanks would not", () => {
  expect(ownKey("program/a b", "c")).not.toBe(ownKey("program/a", "b c"));
});

it("has all keys of an owner, and nobody else's, in one stretch", () => {
  const [from, before] = keyRange("agent/a");
  const isIn = (key: string) => key >= from && key < before;
  expect(["k", "", "\n", "\u{10ffff}"].map((key) => isIn(ownKey("agent/a", key)))).toEqual(
    Array(4).fill(true),
  );
  expect(["agent/a-b", "agent/a b", "agent/ab", "agent"].some((owner) => isIn(ownKey(owner, "k")))).toBe(
    false,
  );
});
