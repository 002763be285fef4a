import { describe, expect, it } from "vitest";
import { WindowModel } from "../../tests/window-model.ts";
import { BLANK, SECOND_HALF } from "./cells.ts";

const window = new WindowModel({ cols: 6, rows: 1 });

function firstOf(bytes: string) {
  window.restart({ cols: 6, rows: 1 });
  window.write(bytes);
  return window.rows()[0] ?? [];
}

describe("cells of a screen model", () => {
  it.each([
    ["0", ""],
    ["1", "1"],
    ["2", "2"],
    ["1;2", "1;2"],
    ["3", "3"],
    ["4", "4"],
    ["21", "4:2"],
    ["4:3", "4:3"],
    ["4:4;58:5:9", "4:4;58:5:9"],
    ["4;58:2::1:2:3", "4;58:2::1:2:3"],
    ["4;31", "4;31"],
    ["58:5:9;59;4", "4"],
    ["5", "5"],
    ["7", "7"],
    ["8", "8"],
    ["9", "9"],
    ["53", "53"],
    ["31", "31"],
    ["97", "97"],
    ["38;5;7", "37"],
    ["38;5;15", "97"],
    ["38;5;200", "38;5;200"],
    ["38;2;1;2;3", "38;2;1;2;3"],
    ["44", "44"],
    ["103", "103"],
    ["48;5;16", "48;5;16"],
    ["48;2;255;0;7", "48;2;255;0;7"],
    ["1;4:3;33;48;5;99", "1;4:3;33;48;5;99"],
  ])("have the style that SGR %s gives them: %j", (given, style) => {
    expect(firstOf(`\x1b[${given}mx`)[0]).toEqual({ text: "x", width: 1, style });
  });

  it("are two for a wide character, one with its marks for a marked one, and blank where nothing is", () => {
    expect(firstOf("漢e\u0301")).toEqual([
      { text: "漢", width: 2, style: "" },
      SECOND_HALF,
      { text: "e\u0301", width: 1, style: "" },
      BLANK,
      BLANK,
      BLANK,
    ]);
  });

  it("are blank where half a character was overwritten", () => {
    expect(firstOf("漢\bx").slice(0, 2)).toEqual([BLANK, { text: "x", width: 1, style: "" }]);
  });

  it("are whole also where a resize has cut a wide character and a mark came behind it", () => {
    window.restart({ cols: 5, rows: 1 });
    window.write("\x1b[1;3Hﾊ漢");
    window.terminal.resize(4, 1);
    window.write("\u0301");
    expect(window.rows()[0]).toEqual([BLANK, BLANK, { text: "ﾊ\u0301", width: 1, style: "" }, BLANK]);
  });
});
