import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WindowModel } from "../../../tests/window-model.ts";
import { BLANK, type Row } from "../../screens/cells.ts";
import { cellsOf, rowOf } from "./cell-text.ts";
import { ENTER, LEAVE, Painter, RETURN } from "./painter.ts";
import type { Picture } from "./picture.ts";
import { PLAIN_MODES, switchModes, type TerminalModes } from "./terminal-modes.ts";

const size = fc.record({ cols: fc.integer({ min: 2, max: 30 }), rows: fc.integer({ min: 1, max: 8 }) });
const modes: fc.Arbitrary<TerminalModes> = fc.record({
  bracketedPaste: fc.boolean(),
  applicationCursor: fc.boolean(),
  applicationKeypad: fc.boolean(),
  focus: fc.boolean(),
  mouse: fc.constantFrom("none", "x10", "vt200", "drag", "any"),
  mouseEncoding: fc.constantFrom(0, 1006, 1016),
});
const text = fc.constantFrom(
  "",
  "hello",
  "漢字 wide",
  "e\u0301\u0320 marks",
  "│ box ─",
  "a much longer line of text",
);
const style = fc.constantFrom("", "1", "31", "38;5;200", "48;2;1;2;3", "4:3;58:5:9", "2;7");

function modesOf({ terminal }: WindowModel): Omit<TerminalModes, "mouseEncoding"> {
  const shown = terminal.modes;
  return {
    bracketedPaste: shown.bracketedPasteMode,
    applicationCursor: shown.applicationCursorKeysMode,
    applicationKeypad: shown.applicationKeypadMode,
    focus: shown.sendFocusMode,
    mouse: shown.mouseTrackingMode,
  };
}

describe("the painter", () => {
  it("leaves the terminal with the rows, the cursor and the modes of the last picture, resizes in between", () => {
    const person = new WindowModel({ cols: 30, rows: 8 });
    const frame = fc.record({
      size,
      lines: fc.array(fc.tuple(text, style)),
      modes,
      at: fc.tuple(fc.nat(30), fc.nat(8)),
    });
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 6 }), (frames) => {
        const painter = new Painter();
        let shown = { cols: 30, rows: 8 };
        person.restart(shown);
        person.write(ENTER);
        for (const [index, one] of frames.entries()) {
          const resizes = index % 2 === 0;
          if (resizes) {
            shown = one.size;
            person.terminal.resize(shown.cols, shown.rows);
            if (one.at[0] % 4 === 0) {
              // Another program has used the terminal.
              person.write("elsewhere\x1b[?1003h\x1b[?1h\x1b[31m");
              person.write(RETURN);
              painter.forget("everything");
            } else painter.forget("rows");
          }
          const { cols, rows } = shown;
          const picture: Picture = {
            rows: Array.from({ length: rows }, (_, y): Row => {
              const [line, look] = one.lines[y] ?? ["", ""];
              return rowOf(cellsOf({ text: line, style: look }), cols);
            }),
            cursor: {
              x: Math.min(one.at[0], cols - 1),
              y: Math.min(one.at[1], rows - 1),
              visible: one.at[0] % 3 > 0,
              shape: one.at[1] % 7,
            },
            modes: one.modes,
          };
          person.write(painter.paint(picture, "title"));
          expect(JSON.stringify(person.rows())).toBe(JSON.stringify(picture.rows));
          expect(person.cursorVisible).toBe(picture.cursor.visible);
          if (picture.cursor.visible)
            expect(person.cursor).toEqual({ x: picture.cursor.x, y: picture.cursor.y });
          const { mouseEncoding, ...rest } = one.modes;
          expect(modesOf(person)).toEqual(rest);
          expect(painter.paint(picture, "title")).toBe("");
        }
        person.write(LEAVE);
        const { mouseEncoding, ...plain } = PLAIN_MODES;
        expect(modesOf(person)).toEqual(plain);
        expect(person.isAlternate).toBe(false);
        expect(person.cursorVisible).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("says the title once, and nothing that a terminal would obey in it", () => {
    const painter = new Painter();
    const picture: Picture = {
      rows: [[BLANK]],
      cursor: { x: 0, y: 0, visible: true, shape: 0 },
      modes: PLAIN_MODES,
    };
    expect(painter.paint(picture, "evil\x07\x1b[31m")).toContain("\x1b]2;evil\x07");
    expect(painter.paint(picture, "evil\x07\x1b[31m")).toBe("");
    expect(painter.paint(picture, "other")).toBe("\x1b]2;other\x07");
  });
});

describe("modes", () => {
  it("turns off what was on and on what is wanted", () => {
    const mouse: TerminalModes = { ...PLAIN_MODES, mouse: "drag", mouseEncoding: 1006, focus: true };
    expect(switchModes(PLAIN_MODES, mouse)).toBe("\x1b[?1004h\x1b[?1002h\x1b[?1006h");
    expect(switchModes(mouse, PLAIN_MODES)).toBe("\x1b[?1004l\x1b[?1002l\x1b[?1006l");
    expect(switchModes(mouse, mouse)).toBe("");
  });
});
