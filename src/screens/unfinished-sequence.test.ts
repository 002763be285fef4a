import headless from "@xterm/headless";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UnfinishedSequence } from "./unfinished-sequence.ts";

function unfinishedOf(...pieces: readonly string[]): string {
  const unfinished = new UnfinishedSequence();
  for (const piece of pieces) unfinished.push(Buffer.from(piece, "utf8"));
  return unfinished.text;
}

describe("a sequence that is not finished", () => {
  it.each([
    ["\x1b", "\x1b"],
    ["text\x1b[23;", "\x1b[23;"],
    ["\x1b[23;9H20", ""],
    ["\x1b[1m\x1b[38;2;", "\x1b[38;2;"],
    ["\x1b(", "\x1b("],
    ["\x1b(B", ""],
    ["\x1b7", ""],
    ["\x1b]0;größer", "\x1b]0;größer"],
    ["\x1b]0;title\x07", ""],
    ["\x1b]0;title\x1b", "\x1b"],
    ["\x1b]0;title\x1b\\", ""],
    ["\x1bP$q", "\x1bP$q"],
    ["\x1b[12\r\n", "\x1b[12"],
    ["\x1b[12\x18", ""],
    ["", ""],
  ])("of %j is %j, however it comes", (written, unfinished) => {
    expect(unfinishedOf(written)).toBe(unfinished);
    expect(unfinishedOf(...written)).toBe(unfinished);
  });

  it("is never remembered without end", () => {
    expect(unfinishedOf("\x1b]0;", "x".repeat(1_000_000)).length).toBeLessThanOrEqual(4 * 1024);
  });

  it("makes a copy go on as the first one does, wherever the picture was taken", async () => {
    const sequence = fc.constantFrom(
      ...["a", "bc", "\r\n", "\x1b[2;3H", "\x1b[1;31m", "\x1b]0;t\x07", "\x1b]8;;x\x1b\\", "\x1b(0q\x1b(B"],
      ...["\x1b7", "\x1b8", "\x1bM", "\x1b[K", "\x1b[?25l", "\x1bP$qm\x1b\\", "\x1b[3\n4C", "\x1b[2\x18x"],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(sequence, { minLength: 1, maxLength: 12 }), fc.nat(), async (all, cut) => {
        const text = all.join("");
        const at = cut % (text.length + 1);
        const unfinished = unfinishedOf(text.slice(0, at));
        // The same screen, within the same sequence: told again from its beginning.
        const once = await shown(text.slice(0, at), text.slice(at));
        const again = await shown(text.slice(0, at), "\x18", unfinished, text.slice(at));
        expect(again).toEqual(once);
      }),
      { numRuns: 300 },
    );
  });
});

async function shown(...pieces: readonly string[]): Promise<readonly string[]> {
  const terminal = new headless.Terminal({ cols: 20, rows: 6, allowProposedApi: true });
  for (const piece of pieces) await new Promise<void>((resolve) => terminal.write(piece, resolve));
  const { active } = terminal.buffer;
  const rows = Array.from({ length: 6 }, (_, y) => active.getLine(y)?.translateToString(true) ?? "");
  const told = [...rows, `${active.cursorX},${active.cursorY}`];
  terminal.dispose();
  return told;
}
