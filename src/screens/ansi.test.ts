import { describe, expect, it } from "vitest";
import { toAnsi } from "./ansi.ts";

const plain = { dim: false, inverse: false, bold: false, italic: false, foreground: "", background: "" };

describe("a screen in colours", () => {
  it("paints each run by itself and leaves plain text plain", () => {
    const lines = [
      {
        text: "ab",
        runs: [
          { ...plain, text: "a" },
          { ...plain, text: "b", bold: true, foreground: "38;5;244" },
        ],
      },
      { text: "", runs: [] },
    ];
    expect(toAnsi(lines)).toBe("a\x1b[1;38;5;244mb\x1b[0m\n");
  });
});
