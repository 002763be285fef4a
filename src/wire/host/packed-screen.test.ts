import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Run, Screen } from "../../core/readiness/screen.ts";
import { packScreen, SCREEN_LIMITS, unpackScreen } from "./packed-screen.ts";

const run: fc.Arbitrary<Run> = fc.record({
  text: fc.string({ minLength: 1, unit: "grapheme" }),
  dim: fc.boolean(),
  inverse: fc.boolean(),
  bold: fc.boolean(),
  italic: fc.boolean(),
  foreground: fc.constantFrom("", "31", "38;5;244", "38;2;1;2;3"),
  background: fc.constantFrom("", "41", "48;5;9", "48;2;255;255;255"),
});

const screenOf = (lines: readonly (readonly Run[])[]): Screen => ({
  columns: 80,
  rows: 24,
  cursor: { x: 1, y: 2, visible: true },
  alternate: false,
  title: "t",
  command: "sh",
  mode: "",
  dead: false,
  inputOff: false,
  synchronised: false,
  lines: lines.map((runs) => ({ text: runs.map(({ text }) => text).join(""), runs })),
});

it("comes out as it went in, also from a host that does not pack", () => {
  fc.assert(
    fc.property(fc.array(fc.array(run)), (lines) => {
      const screen = screenOf(lines);
      const sent: unknown = JSON.parse(JSON.stringify(packScreen(screen)));
      expect(unpackScreen(sent)).toEqual({ kind: "screen", screen });
      expect(unpackScreen(screen)).toEqual({ kind: "screen", screen });
    }),
  );
});

it("says of what is plain only the text", () => {
  const plain = { dim: false, inverse: false, bold: false, italic: false, foreground: "", background: "" };
  const lines = [[{ ...plain, text: "ls" }], [], [{ ...plain, text: "red", bold: true, foreground: "31" }]];
  expect(packScreen(screenOf(lines)).lines).toEqual([["ls"], [], [["red", 4, "31", ""]]]);
});

describe("what is no screen", () => {
  const { lines: _lines, ...facts } = screenOf([]);
  const said = (sent: unknown) => {
    const unpacked = unpackScreen(sent);
    return unpacked.kind === "unreadable" ? unpacked.cause : unpacked.kind;
  };

  it("is said to be none, by what is wrong with it", () => {
    const { cursor: _cursor, ...withoutCursor } = facts;
    expect(said({ ...withoutCursor, lines: [["> "]] })).toBe(
      'the screen that its host sent has an invalid "cursor"',
    );
    expect(said({ ...facts, lines: [[], [["red", 4]]] })).toBe(
      "the screen that its host sent has a line 2 that no screen can have",
    );
    expect(said({ ...facts })).toBe("the screen that its host sent has no lines");
    for (const sent of [null, undefined, 7, "screen", []]) expect(said(sent)).toBe("its host sent no screen");
  });

  it.each([
    5,
    null,
    "line",
    { runs: null },
    { text: "", runs: [null] },
    { text: "", runs: [{ text: "half a run" }] },
    [5],
    [null],
    [["> ", 0, {}, 5]],
    [[null, 0, "", ""]],
    [["> ", "0", "", ""]],
  ])("has lines such as %j", (line) => {
    expect(said({ ...facts, lines: [line] })).toContain("line 1");
  });

  it("is whatever is no fact of a screen", () => {
    for (const fact of Object.keys(facts))
      for (const odd of [undefined, null, {}, [], -1, 1.5])
        expect(said({ ...facts, lines: [], [fact]: odd })).toContain(fact);
  });

  it("is what has more lines, or more runs in one, than a screen has room for; nothing of it is unpacked", () => {
    const { lines, runsPerLine } = SCREEN_LIMITS;
    const unread = (row: unknown[]) => {
      row[0] = new Proxy([], {
        get: () => expect.fail("somebody has looked into it"),
      });
      return row;
    };
    expect(said({ ...facts, lines: new Array(lines).fill([]) })).toBe("screen");
    expect(said({ ...facts, lines: unread(new Array(lines + 1).fill([])) })).toContain("more than 500 lines");
    expect(said({ ...facts, lines: [new Array(runsPerLine).fill("")] })).toBe("screen");
    expect(said({ ...facts, lines: [unread(new Array(runsPerLine + 1).fill(""))] })).toContain("line 1");
    const whole = { text: "", dim: false, inverse: false, bold: false, italic: false };
    const runs = new Array(runsPerLine + 1).fill({ ...whole, foreground: "", background: "" });
    expect(said({ ...facts, lines: [{ text: "", runs: runs.slice(1) }] })).toBe("screen");
    expect(said({ ...facts, lines: [{ text: "", runs }] })).toContain("line 1");
  });
});
