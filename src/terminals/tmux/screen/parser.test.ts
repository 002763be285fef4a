import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PLAIN_STYLE } from "../../../screens/ansi.ts";
import { parseScreenLines } from "./parser.ts";

const runsOf = (...lines: string[]) => parseScreenLines(lines).map((line) => line.runs);
const plain = (text: string) => ({ text, ...PLAIN_STYLE });

describe("captured lines", () => {
  it("without colours are one run", () => {
    expect(parseScreenLines(["hello", ""])).toEqual([
      { text: "hello", runs: [plain("hello")] },
      { text: "", runs: [] },
    ]);
  });

  it("tell a ghost from a draft by dim and inverse", () => {
    // The first character of Claude's suggestion is the cursor, the rest is dim.
    expect(runsOf("❯\u00a0\x1b[7mT\x1b[0m\x1b[2mry this\x1b[0m end")).toEqual([
      [plain("❯\u00a0"), { ...plain("T"), inverse: true }, { ...plain("ry this"), dim: true }, plain(" end")],
    ]);
  });

  it("keep colours as they are written", () => {
    expect(
      runsOf("\x1b[31ma\x1b[38;5;244mb\x1b[38;2;1;2;3mc\x1b[48;5;16md\x1b[39m\x1b[49me\x1b[97;104mf"),
    ).toEqual([
      [
        { ...plain("a"), foreground: "31" },
        { ...plain("b"), foreground: "38;5;244" },
        { ...plain("c"), foreground: "38;2;1;2;3" },
        { ...plain("d"), foreground: "38;2;1;2;3", background: "48;5;16" },
        plain("e"),
        { ...plain("f"), foreground: "97", background: "104" },
      ],
    ]);
  });

  it("read colons as semicolons, and leave underline colours alone", () => {
    expect(runsOf("\x1b[38:5:9ma\x1b[38:2::1:2:3mb\x1b[0;4:3;58;5;3mc")).toEqual([
      [{ ...plain("a"), foreground: "38;5;9" }, { ...plain("b"), foreground: "38;2;1;2;3" }, plain("c")],
    ]);
  });

  it("carry a colour over the end of a line", () => {
    expect(runsOf("\x1b[1mbold", "still\x1b[22m not", "\x1b[3mi\x1b[23m")).toEqual([
      [{ ...plain("bold"), bold: true }],
      [{ ...plain("still"), bold: true }, plain(" not")],
      [{ ...plain("i"), italic: true }],
    ]);
  });

  it("carry them over lines without any of their own, line drawing too", () => {
    expect(runsOf("\x1b[1mbold", "still", "\x0elq", "qk\x0f")).toEqual(
      ["bold", "still", "┌─", "─┐"].map((text) => [{ ...plain(text), bold: true }]),
    );
  });

  it("join neighbours of the same style", () => {
    expect(runsOf("a\x1b[0mb\x1b[39mc")).toEqual([[plain("abc")]]);
  });

  it("draw the lines of the old character set, and drop hyperlinks", () => {
    expect(
      parseScreenLines(["\x0elqqk\x0fq \x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\"])[0]?.text,
    ).toBe("┌──┐q link");
  });

  it("leave wide characters and joined emoji untouched", () => {
    const text = "漢字 👩‍👩‍👧 é e\u0301";
    expect(parseScreenLines([`\x1b[2m${text}\x1b[0m`])[0]?.text).toBe(text);
  });

  it("show the same text whatever colours run through it", () => {
    const piece = fc.tuple(
      fc.constantFrom("", "\x1b[0m", "\x1b[2m", "\x1b[7;31m", "\x1b[38;5;1m", "\x1b[48;2;9;9;9m", "\x1b[m"),
      fc.stringMatching(/^[ -~é漢]{0,6}$/),
    );
    fc.assert(
      fc.property(fc.array(fc.array(piece, { maxLength: 6 }), { maxLength: 5 }), (lines) => {
        const parsed = parseScreenLines(lines.map((line) => line.flat().join("")));
        parsed.forEach((line, index) => {
          expect(line.text).toBe(lines[index]?.map(([, text]) => text).join(""));
          expect(line.runs.map((run) => run.text).join("")).toBe(line.text);
        });
      }),
    );
  });
});
