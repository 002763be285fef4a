import { describe, expect, it } from "vitest";
import { Output } from "./output.ts";
import { cut, displayWidth, printPairs, printTable } from "./table.ts";

function captured(columns = 0): { readonly out: Output; text(): string } {
  let text = "";
  const write = (part: string) => {
    text += part;
  };
  const sink = { write, drained: async () => {}, isTerminal: columns > 0, columns };
  return {
    out: new Output({ stdout: sink, stderr: sink, colours: () => "off", json: false }),
    text: () => text,
  };
}

describe("tables", () => {
  it("aligns columns by what a terminal shows", () => {
    const { out, text } = captured();
    printTable(out, ["漢字", "abc", "👩‍👩‍👧"], { A: (row) => row, B: () => "x" });
    expect(text()).toBe("A     B\n漢字  x\nabc   x\n👩‍👩‍👧    x\n");
  });

  it("cuts the last column at the edge of a terminal and nowhere else", () => {
    const row = "y".repeat(80);
    const wide = captured(40);
    printTable(wide.out, [0], { A: () => "x", B: () => row });
    expect(wide.text().split("\n")[1]).toBe(`x  ${"y".repeat(36)}…`);
    const piped = captured();
    printTable(piped.out, [0], { B: () => row });
    expect(piped.text()).toContain(row);
  });

  it("puts under a row what is too long for it, whole and safe", () => {
    const { out, text } = captured(20);
    printTable(out, ["one", "two"], { A: (row) => row }, (row) =>
      row === "one" ? `why\x1b[2J ${"z".repeat(30)}` : "",
    );
    expect(text()).toBe(`A\none\n  why ${"z".repeat(30)}\ntwo\n`);
  });

  it("lets nothing through that a terminal would obey", () => {
    const { out, text } = captured();
    printTable(out, [0], { A: () => "a\x1b]0;evil\x07b\x1b[31mc\u009b2J\nd" });
    printPairs(out, [["name", "\x1b[2Jx\ny"]]);
    expect(text()).not.toMatch(/[\x1b\x07\u009b]/);
    expect(text().split("\n")).toHaveLength(4);
  });

  it("knows how wide things are", () => {
    expect(["", "abc", "é", "e\u0301", "漢", "👍", "☎️"].map(displayWidth)).toEqual([0, 3, 1, 1, 2, 2, 2]);
    expect(cut("漢字漢字", 5)).toBe("漢字…");
  });
});
