import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WindowModel } from "../../tests/window-model.ts";
import { BLANK, blankRow, type Cell, type Row, SECOND_HALF } from "./cells.ts";
import { drawRows } from "./draw-rows.ts";

const NO_WRAPPING = "\x1b[?7l";

/** What programs write, as bytes: text of every width, all of SGR, moves, erasures, scrolling. */
const text = fc.stringMatching(/^[ -~]{0,12}$/);
const character = fc.constantFrom(
  ..."漢字かなﾊﾟ한글│─█é–ßЖ",
  "e\u0301",
  "字\u0301",
  "n\u0303\u0320",
  "\u00ad",
  "✻",
  "⏺",
  "👍",
  "\u0301",
);
const colour = fc.oneof(
  fc.integer({ min: 0, max: 255 }).map((index) => `5;${index}`),
  fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((rgb) => `2;${rgb.join(";")}`),
);
const sgr = fc.oneof(
  fc.constantFrom(0, 1, 2, 3, 4, 5, 7, 8, 9, 21, 22, 23, 24, 27, 31, 39, 44, 49, 53, 55, 95, 103).map(String),
  fc.constantFrom("4:0", "4:2", "4:3", "4:4", "4:5", "58:5:9", "58:2::1:2:3", "59"),
  colour.map((value) => `38;${value}`),
  colour.map((value) => `48;${value}`),
);
const place = fc.tuple(fc.integer({ min: 1, max: 14 }), fc.integer({ min: 1, max: 46 }));
const drawing = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: text },
      { weight: 4, arbitrary: fc.array(character, { maxLength: 6 }).map((all) => all.join("")) },
      { weight: 3, arbitrary: sgr.map((code) => `\x1b[${code}m`) },
      { weight: 3, arbitrary: place.map(([y, x]) => `\x1b[${y};${x}H`) },
      fc.constantFrom(
        "\r\n",
        "\t",
        "\b",
        "\x1b[K",
        "\x1b[1K",
        "\x1b[2K",
        "\x1b[J",
        "\x1b[2J",
        "\x1bM",
        "\x1b[L",
      ),
      fc.constantFrom("\x1b[3P", "\x1b[2@", "\x1b[4X", "\x1b[M", "\x1b[2S", "\x1b[?1049h", "\x1b[?1049l"),
    ),
    { minLength: 1, maxLength: 40 },
  )
  .map((pieces) => pieces.join(""));
const size = fc.record({ cols: fc.integer({ min: 2, max: 44 }), rows: fc.integer({ min: 1, max: 12 }) });

/** Compared as text first: a deep comparison of every cell costs more than the rest of the test. */
function expectSame(shown: readonly Row[], wanted: readonly Row[]): void {
  const flat = (rows: readonly Row[]) =>
    rows
      .map((cells) => cells.map(({ text, width, style }) => `${text}${width}${style}`).join(" "))
      .join("\n");
  if (flat(shown) !== flat(wanted)) expect(shown).toEqual(wanted);
}

describe("drawing from one screen to the next", () => {
  const program = new WindowModel({ cols: 44, rows: 12 });
  const person = new WindowModel({ cols: 44, rows: 12 });

  it("leaves exactly the cells of the next one, whatever stood there", () => {
    let screens = 0;
    fc.assert(
      fc.property(size, fc.array(drawing, { minLength: 5, maxLength: 5 }), (window, drawings) => {
        program.restart(window);
        person.restart(window);
        person.write(NO_WRAPPING);
        let before: readonly Row[] = program.rows();
        for (const bytes of drawings) {
          program.write(bytes);
          const after = program.rows();
          person.write(drawRows(before, after));
          expectSame(person.rows(), after);
          before = after;
          screens += 1;
        }
      }),
      { numRuns: 600 },
    );
    expect(screens).toBeGreaterThanOrEqual(2_000);
  }, 60_000);

  it("draws over anything when it does not know what stands there", () => {
    fc.assert(
      fc.property(size, drawing, drawing, (window, left, wanted) => {
        program.restart(window);
        person.restart(window);
        person.write(`${left}\x1b[0m\x1b[?1049h${NO_WRAPPING}${left}\x1b[0m`);
        program.write(wanted);
        person.write(drawRows([], program.rows()));
        expectSame(person.rows(), program.rows());
      }),
      { numRuns: 600 },
    );
  }, 60_000);

  it("follows a program that is resized between two screens", () => {
    fc.assert(
      fc.property(size, size, drawing, drawing, (small, large, first, second) => {
        program.restart(small);
        person.restart(large);
        person.write(NO_WRAPPING);
        program.write(first);
        const before = fill(program.rows(), large);
        person.write(drawRows([], before));
        program.terminal.resize(large.cols, large.rows);
        // As programs start to draw; a lone combining mark would join text that the resize has moved.
        program.write(`\x1b[m${second}`);
        const after = program.rows();
        person.write(drawRows(before, after));
        expectSame(person.rows(), after);
      }),
      { numRuns: 600 },
    );
  }, 60_000);

  it("says nothing when nothing has changed", () => {
    const rows = [row("same"), row("and same")];
    expect(drawRows(rows, [row("same"), row("and same")])).toBe("");
  });

  it("sends no more than the cells that differ", () => {
    const before = [row("the quick brown fox jumps")];
    const after = [row("the quick green fox jumps")];
    expect(drawRows(before, after)).toBe("\x1b[1;11Hgree");
  });

  it("erases a tail instead of writing blanks", () => {
    expect(drawRows([row("long text")], [row("long")])).toBe("\x1b[1;6H\x1b[K");
  });

  it("puts the cursor where it belongs behind a character that terminals measure differently", () => {
    const after = [
      [{ text: "👍", width: 2, style: "" }, SECOND_HALF, { ...BLANK, text: "x" }] satisfies Cell[],
    ];
    expect(drawRows([blankRow(3)], after)).toBe("\x1b[1;1H  \x1b[1G👍\x1b[3Gx");
  });

  it("draws again what such a character may have covered, when it comes and when it goes", () => {
    const star: Cell = { ...BLANK, text: "✻" };
    const a: Cell = { ...BLANK, text: "a" };
    const b: Cell = { ...BLANK, text: "b" };
    expect(drawRows([[a, b]], [[star, b]])).toBe("\x1b[1;1H✻\x1b[2Gb");
    expect(drawRows([[star, b]], [[a, b]])).toBe("\x1b[1;1Hab");
  });

  it("starts and ends with a plain pen", () => {
    const red: Cell = { text: "r", width: 1, style: "31" };
    expect(drawRows([blankRow(1)], [[red]])).toBe("\x1b[1;1H\x1b[0;31mr\x1b[0m");
  });
});

function row(text: string, cols = 30): Row {
  return Array.from(
    text.padEnd(cols),
    (letter): Cell => (letter === " " ? BLANK : { ...BLANK, text: letter }),
  );
}

function fill(rows: readonly Row[], { cols, rows: count }: { cols: number; rows: number }): readonly Row[] {
  return Array.from({ length: count }, (_, y) => {
    const cells = (rows[y] ?? []).slice(0, cols);
    if (cells.at(-1)?.width === 2) cells[cells.length - 1] = BLANK;
    return [...cells, ...blankRow(cols - cells.length)];
  });
}
