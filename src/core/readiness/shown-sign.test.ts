import { describe, expect, it } from "vitest";
import { isStillShown, LONGEST_SIGN, signInRow } from "./shown-sign.ts";

const screen = (...rows: readonly string[]) => ({ lines: rows.map((text) => ({ text, runs: [] })) });

describe("a sign on a screen", () => {
  it("is its text, where that stands nowhere above", () => {
    expect(signInRow(screen("a", "* Working (3s · esc to interrupt)"), 1, "esc to interrupt")).toEqual({
      in: "row",
      y: 1,
      text: "esc to interrupt",
    });
  });

  it("is its whole row, where the text alone stands above too", () => {
    const shown = screen("you: what does working… mean", "  working… on it");
    expect(signInRow(shown, 1, "working…")).toEqual({ in: "row", y: 1, text: "working… on it" });
  });

  it("is none where a look could not tell it from a row above", () => {
    expect(signInRow(screen("working…", "working…"), 1, "working…")).toBeUndefined();
    expect(signInRow(screen("a", " "), 1, " ")).toBeUndefined();
  });

  it("is no longer than it must be, and cuts no character in two", () => {
    const row = "🚀".repeat(LONGEST_SIGN + 1);
    expect(signInRow(screen(row), 0, row)).toMatchObject({ text: "🚀".repeat(LONGEST_SIGN) });
  });
});

describe("a look at it again", () => {
  const sign = { in: "row", y: 1, text: "working…" } as const;

  it("finds it in its row, whatever else has changed", () => {
    expect(isStillShown(sign, { title: "", rows: ["b", "· working… 4s", "c"] })).toBe(true);
  });

  it("misses it when it is gone, has moved, or stands above too", () => {
    for (const rows of [["a", ""], ["a", "", "working…"], ["working…", "working…"], []])
      expect(isStillShown(sign, { title: "working…", rows })).toBe(false);
  });

  it("takes a title only for the very same", () => {
    const title = { in: "title", text: "⠂ Fix it" } as const;
    expect(isStillShown(title, { title: "⠂ Fix it", rows: [] })).toBe(true);
    expect(isStillShown(title, { title: "✳ Fix it", rows: ["⠂ Fix it"] })).toBe(false);
  });
});
