import fc from "fast-check";
import { expect, it } from "vitest";
import type { Run, Screen } from "../core/screen.ts";
import { type PackedScreen, packScreen, unpackScreen } from "./packed-screen.ts";

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
      const sent = JSON.parse(JSON.stringify(packScreen(screen))) as PackedScreen;
      expect(unpackScreen(sent)).toEqual(screen);
      expect(unpackScreen(screen)).toEqual(screen);
    }),
  );
});

it("says of what is plain only the text", () => {
  const plain = { dim: false, inverse: false, bold: false, italic: false, foreground: "", background: "" };
  const lines = [[{ ...plain, text: "ls" }], [], [{ ...plain, text: "red", bold: true, foreground: "31" }]];
  expect(packScreen(screenOf(lines)).lines).toEqual([["ls"], [], [["red", 4, "31", ""]]]);
});
