import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../message.ts";
import { fitted } from "./fitting.ts";

const bytes = (text: string) => new TextEncoder().encode(text).length;
const CUT = "\n[… cut: it was longer than Bellhop takes]";

describe("a text for a message", () => {
  it.each(["", "plain", "é".repeat(LIMITS.bodyBytes / 2), "x".repeat(LIMITS.bodyBytes), "😀".repeat(65_536)])(
    "that fits stays as it is",
    (text) => {
      expect(fitted(text)).toBe(text);
    },
  );

  it.each(["x", "é", "€", "😀"])("that is too long is cut after a whole %s, and says so", (character) => {
    const text = fitted(character.repeat(LIMITS.bodyBytes + 1));
    expect(text.endsWith(`${character}${CUT}`)).toBe(true);
    expect(bytes(text)).toBeLessThanOrEqual(LIMITS.bodyBytes);
    expect(bytes(text)).toBeGreaterThan(LIMITS.bodyBytes - 4);
  });

  it("loses no half of a character silently", () => {
    expect(fitted("a\ud83d b")).toBe("a\ufffd b");
  });

  it("always fits, whatever it is", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 200 }),
        fc.integer({ min: 60, max: 300 }),
        (text, most) => {
          const made = fitted(text, most);
          expect(bytes(made)).toBeLessThanOrEqual(most);
          expect(made.isWellFormed()).toBe(true);
          expect(made === text.toWellFormed() || made.endsWith(CUT)).toBe(true);
        },
      ),
    );
  });
});
