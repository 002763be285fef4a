import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Priority } from "../../core/message.ts";
import { BLANK, blankRow, type Cell, type Row, SECOND_HALF } from "../../screens/cells.ts";
import { type Attachment, firstAttachment } from "../attachment-state.ts";
import { type ProgramView, picture, programSize } from "./picture.ts";
import { BAR_MODES, PLAIN_MODES } from "./terminal-modes.ts";

const host = { viewers: 1, passthrough: null, exit: null, title: "" };
const captions = { agent: "coder", prefix: "C-\\" };
const modes = { ...PLAIN_MODES, mouse: "any", mouseEncoding: 1006, applicationCursor: true } as const;
const cursor = { x: 3, y: 1, visible: true, shape: 5 };
const letters = (text: string): Row => Array.from(text, (letter): Cell => ({ ...BLANK, text: letter }));

function view(rows: readonly Row[]): ProgramView {
  return { rows, cursor, modes, scrolledBack: 7, scrollback: 90 };
}
const textOf = (row: Row | undefined) =>
  (row ?? [])
    .map(({ text }) => text)
    .join("")
    .trimEnd();
const seated = firstAttachment("type", host);
const inMode = (mode: Attachment["mode"]): Attachment => ({ ...seated, viewer: 1, mode });

describe("the window", () => {
  it("has the program at its top left, nothing around it, and our two lines at its bottom", () => {
    const { rows } = picture(seated, view([letters("abcd"), letters("efgh")]), captions, {
      cols: 60,
      rows: 6,
    });
    expect(rows.map(textOf)).toEqual([
      "abcd",
      "efgh",
      "",
      "",
      expect.stringMatching(/^ coder +1 viewer$/),
      expect.stringMatching(/^ normal ❯ Enter types it in/),
    ]);
    expect(rows.every((row) => row.length === 60)).toBe(true);
  });

  it("cuts a program that is larger, and no character in half", () => {
    const wide: Row = [{ ...BLANK, text: "a" }, { text: "漢", width: 2, style: "31" }, SECOND_HALF];
    const { rows } = picture(seated, view([wide, wide, wide]), captions, { cols: 2, rows: 4 });
    expect(rows.slice(0, 2)).toEqual([
      [
        { ...BLANK, text: "a" },
        { ...BLANK, style: "31" },
      ],
      [
        { ...BLANK, text: "a" },
        { ...BLANK, style: "31" },
      ],
    ]);
  });

  it("keeps the cursor and the modes of the bar, and the program's own in passthrough", () => {
    const window = { cols: 40, rows: 10 };
    const program = view([blankRow(40)]);
    expect(picture(seated, program, captions, window)).toMatchObject({
      cursor: { x: 10, y: 9, visible: true, shape: 0 },
      modes: BAR_MODES,
    });
    expect(picture(inMode({ at: "passthrough" }), program, captions, window)).toMatchObject({
      cursor,
      modes,
    });
    for (const at of ["scrollback", "help"] as const) {
      const shown = picture(inMode({ at, back: "passthrough" }), program, captions, window);
      expect(shown.modes).toEqual(BAR_MODES);
      expect(shown.cursor.visible).toBe(false);
    }
  });

  it("hides a cursor that is outside the window", () => {
    const shown = picture(inMode({ at: "passthrough" }), view([]), captions, { cols: 3, rows: 10 });
    expect(shown.cursor.visible).toBe(false);
  });

  it("tells how far back one has scrolled", () => {
    const { rows } = picture(inMode({ at: "scrollback", back: "bar" }), view([]), captions, {
      cols: 60,
      rows: 4,
    });
    expect(textOf(rows.at(-2))).toContain("7 of 90 lines back");
  });

  it("tells where the conversation is when nothing has scrolled off", () => {
    const empty = { ...view([]), scrollback: 0, scrolledBack: 0 };
    const { rows } = picture(inMode({ at: "scrollback", back: "bar" }), empty, captions, {
      cols: 80,
      rows: 4,
    });
    expect(textOf(rows.at(-1))).toContain("bellhop transcript coder");
  });

  it("says in the empty bar what Enter would do with a text of that priority", () => {
    const says = (priority: Priority) => {
      const at = inMode({ at: "bar" });
      const shown = picture({ ...at, bar: { ...at.bar, priority } }, view([]), captions, {
        cols: 100,
        rows: 4,
      });
      return textOf(shown.rows.at(-1));
    };
    expect(says("normal")).toContain("Enter types it in, Tab");
    expect(says("idle-first")).toContain("Enter queues it, before all else that waits for idle, Tab");
    expect(says("idle")).toContain("Enter queues it until all is done, Tab");
    expect(says("interrupt")).toContain("Enter sends it at once and stops the running turn, Tab");
  });

  it("says in the empty bar how to answer a program that asks something", () => {
    const says = (readiness: "idle" | "blocked" | "unknown") => {
      const session = { agent: "coder", readiness, paused: false, deliveries: [], drafts: [] };
      const at = { ...inMode({ at: "bar" }), daemon: { at: "there", session } } as const;
      return textOf(picture(at, view([]), captions, { cols: 100, rows: 4 }).rows.at(-1));
    };
    const advice = " normal ❯ Enter types it in, C-\\ p gives the program your keys, C-\\ ? helps";
    expect(says("blocked")).toBe(advice);
    expect(says("unknown")).toBe(advice);
    expect(says("idle")).toContain("Tab changes how");
  });

  it("shows every key in the help", () => {
    const help = picture(inMode({ at: "help", back: "bar" }), view([]), captions, { cols: 80, rows: 24 });
    const shown = help.rows.map(textOf).join("\n");
    for (const key of ["Enter", "Tab", "C-\\ p", "C-\\ [", "C-\\ d", "C-\\ C-\\"])
      expect(shown).toContain(key);
    expect(shown).not.toContain("…");
  });

  it("is whole at any size, in any mode", () => {
    const size = fc.record({ cols: fc.integer({ min: 1, max: 100 }), rows: fc.integer({ min: 1, max: 30 }) });
    const mode = fc.constantFrom<Attachment["mode"]>(
      { at: "bar" },
      { at: "asking" },
      { at: "passthrough" },
      { at: "scrollback", back: "bar" },
      { at: "help", back: "passthrough" },
    );
    fc.assert(
      fc.property(size, mode, fc.boolean(), (window, at, awaiting) => {
        const state: Attachment = { ...inMode(at), awaiting: awaiting ? "command" : "nothing" };
        const { rows, cursor: place } = picture(state, view([letters("abcd")]), captions, window);
        expect(rows.map(({ length }) => length)).toEqual(new Array(window.rows).fill(window.cols));
        if (place.visible) expect(place.x < window.cols && place.y < window.rows).toBe(true);
        expect(programSize(window).rows).toBe(Math.max(1, window.rows - 2));
      }),
      { numRuns: 500 },
    );
  });
});
