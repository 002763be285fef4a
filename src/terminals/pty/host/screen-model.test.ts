import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WindowModel } from "../../../../tests/window-model.ts";
import type { Row } from "../../../screens/cells.ts";
import { CELL_CHARACTERS } from "../../../screens/character-width.ts";
import { ScreenModel } from "./screen-model.ts";

const SIZE = { cols: 24, rows: 7 };

const piece = fc.oneof(
  { weight: 5, arbitrary: fc.stringMatching(/^[ -~]{0,12}$/) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "漢字",
      "e\u0301x",
      "👍 ok",
      "\x1b[4:3;58:5:9mcurly\x1b[24;59m",
      "\x1b7",
      "\x1b8",
      "│─█",
      "\r\n",
      "\r\n\r\n",
      "\t",
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(
        "0",
        "1",
        "2",
        "22",
        "3",
        "4",
        "4:3",
        "24",
        "7",
        "27",
        "9",
        "31",
        "39",
        "48;5;200",
        "49",
        "53",
      )
      .map((code) => `\x1b[${code}m`),
  },
  fc
    .tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 25 }))
    .map(([y, x]) => `\x1b[${y};${x}H`),
  fc.constantFrom("\x1b[K", "\x1b[J", "\x1b[2J", "\x1bM", "\x1b[L", "\x1b[M", "\x1b[2P", "\x1b[S", "\x1b[T"),
  fc.constantFrom(
    "\x1b[2;5r",
    "\x1b[r",
    "\x1b[?25l",
    "\x1b[?25h",
    "\x1b[?1049h",
    "\x1b[?1049l",
    "\x1b[4h",
    "\x1b[4l",
  ),
);
const drawing = fc.array(piece, { minLength: 1, maxLength: 30 }).map((pieces) => pieces.join(""));

const flat = (rows: readonly Row[]) =>
  rows.map((cells) => cells.map(({ text, width, style }) => `${text}${width}${style}`).join(" ")).join("\n");

describe("the picture for somebody who comes late", () => {
  it("shows what the others see, and goes on as theirs does", async () => {
    const early = new WindowModel({ ...SIZE, scrollback: 50 });
    const late = new WindowModel({ ...SIZE, scrollback: 50 });
    await fc.assert(
      fc.asyncProperty(drawing, drawing, async (before, after) => {
        const model = new ScreenModel({ ...SIZE, scrollback: 50 });
        early.restart(SIZE);
        late.restart(SIZE);
        model.write(Buffer.from(before));
        early.write(Buffer.from(before));
        await model.drawn();
        late.write(model.redraw());
        expect(flat(late.rows())).toBe(flat(early.rows()));
        expect(late.cursor).toEqual(early.cursor);
        expect(late.cursorVisible).toBe(early.cursorVisible);
        late.write(after);
        early.write(after);
        expect(flat(late.rows())).toBe(flat(early.rows()));
        model.dispose();
      }),
      { numRuns: 400 },
    );
  }, 60_000);

  it("is drawn within a sequence so that its rest is not printed", async () => {
    for (const [begun, rest] of [
      ["ab\x1b[3;", "9Hcd"],
      ["ab\x1b]0;a ti", "tle\x07cd"],
      ["ab\x1b", "[31mcd"],
    ] as const) {
      const model = new ScreenModel({ ...SIZE, scrollback: 100 });
      model.write(Buffer.from(begun));
      await model.drawn();
      const late = new ScreenModel({ ...SIZE, scrollback: 100 });
      late.write(Buffer.from(model.redraw()));
      for (const one of [model, late]) {
        one.write(Buffer.from(rest));
        await one.drawn();
      }
      const facts = { command: "", dead: false, mode: "" };
      expect(late.screen(facts)).toEqual(model.screen(facts));
    }
  });
});

describe("the picture of what was erased in a colour", () => {
  it("does not wrap when the window gets narrower, as it does not with the others", async () => {
    const model = new ScreenModel({ ...SIZE, scrollback: 50 });
    const late = new ScreenModel({ ...SIZE, scrollback: 50 });
    model.write(Buffer.from("\x1b[44mblue\x1b[K\x1b[0m\r\n\x1b[42m\x1b[5X\x1b[0m\r\nend"));
    await model.drawn();
    late.write(Buffer.from(model.redraw()));
    for (const one of [model, late]) one.resize({ cols: 12, rows: SIZE.rows });
    const shown = async (one: ScreenModel) => {
      await one.drawn();
      return one.screen({ command: "", dead: false, mode: "" });
    };
    expect(await shown(late)).toEqual(await shown(model));
    for (const one of [model, late]) one.dispose();
  });
});

describe("a screen that is read", () => {
  const read = async (model: ScreenModel) => {
    await model.drawn();
    return model.screen({ command: "", dead: false, mode: "" }).lines.map(({ text }) => text);
  };

  it("is the same until something is drawn or its size changes, and then another", async () => {
    const model = new ScreenModel({ cols: 10, rows: 2, scrollback: 0 });
    model.write(Buffer.from("one"));
    expect(await read(model)).toEqual(["one", ""]);
    expect(await read(model)).toEqual(["one", ""]);
    model.write(Buffer.from("\r\ntwo"));
    // Not drawn yet: lines read now must not be cached.
    model.screen({ command: "", dead: false, mode: "" });
    expect(await read(model)).toEqual(["one", "two"]);
    model.resize({ cols: 10, rows: 3 });
    expect(await read(model)).toEqual(["one", "two", ""]);
    model.dispose();
  });

  it("has its cursor back after a soft reset, as every terminal does", async () => {
    const model = new ScreenModel({ cols: 10, rows: 2, scrollback: 0 });
    model.write(Buffer.from("\x1b[?25l"));
    await model.drawn();
    expect(model.cursor.visible).toBe(false);
    model.write(Buffer.from("\x1b[!p"));
    await model.drawn();
    expect(model.cursor.visible).toBe(true);
    model.dispose();
  });
});

describe("a program that asks for too much", () => {
  const SMALL = { cols: 10, rows: 4, scrollback: 1_000 };
  const drawn = async (text: string) => {
    const model = new ScreenModel(SMALL);
    const titles: string[] = [];
    model.onTitle((title) => titles.push(title));
    model.write(Buffer.from(text));
    await model.drawn();
    return { model, titles, screen: model.screen({ command: "", dead: false, mode: "" }) };
  };

  it("gets a character again as often as the screen has room for it", async () => {
    const { model, screen } = await drawn("a\x1b[9999b");
    expect(screen.lines.map(({ text }) => text)).toEqual([..."aaa"].map((one) => one.repeat(10)).concat("a"));
    expect(model.above(1_000)).toHaveLength(1);
    model.dispose();
  });

  it("shows every character, wherever its bytes were cut on the way", async () => {
    const text = "—“漢👍é";
    const bytes = Buffer.from(text);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const model = new ScreenModel({ cols: 600, rows: 2, scrollback: 0 });
      model.write(bytes.subarray(0, cut));
      model.write(bytes.subarray(cut));
      // Longer than what is drawn at a time, so it is also cut there.
      const long = `${"x".repeat(250 + cut)}${text}${"y".repeat(250)}`;
      model.write(Buffer.from(`\r\n${long}`));
      await model.drawn();
      const { lines } = model.screen({ command: "", dead: false, mode: "" });
      expect(lines.map((line) => line.text)).toEqual([text, long]);
      model.dispose();
    }
  });

  it("is called by a title of one line, and not a long one", async () => {
    const { model, titles, screen } = await drawn(
      `\x1b]0;one\u202etwo\u2028x\x07\x1b]0;${"T".repeat(100_000)}\x07`,
    );
    expect(titles).toEqual(["onetwo x", "T".repeat(256)]);
    expect([model.title, screen.title]).toEqual([titles[1], titles[1]]);
    model.dispose();
  });

  it("gets so many marks into a cell, for whoever reads it and for whoever comes late", async () => {
    const { model, screen } = await drawn(`a${"\u0301".repeat(100_000)}\x1b[2;1Hend`);
    const characters = SMALL.cols * SMALL.rows * CELL_CHARACTERS;
    expect(screen.lines.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(characters);
    expect(model.redraw().length).toBeLessThan(
      (SMALL.scrollback + SMALL.rows) * SMALL.cols * CELL_CHARACTERS,
    );
    const late = new WindowModel(SMALL);
    late.write(model.redraw());
    const early = new WindowModel(SMALL);
    early.write(`a${"\u0301".repeat(100_000)}\x1b[2;1Hend`);
    expect(flat(late.rows())).toBe(flat(early.rows()));
    model.dispose();
  });
});
