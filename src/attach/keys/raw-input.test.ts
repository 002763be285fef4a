import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RawInput, takeRaw } from "./raw-input.ts";

const PREFIX = 0x1c;

/** What went through, with `|` where our key was. */
function through(chunks: readonly Buffer[]): string {
  let out = "";
  let input: RawInput = { bytes: Buffer.alloc(0), pasting: false, mark: 0 };
  for (const chunk of chunks) {
    input = { ...input, bytes: chunk };
    for (let found = "prefix"; found === "prefix"; ) {
      const taken = takeRaw(input, PREFIX);
      out += taken.through.toString("latin1");
      if (taken.found === "prefix") out += "|";
      found = taken.found;
      input = taken.rest;
    }
  }
  return out;
}

const bytesOf = (text: string) => Buffer.from(text, "latin1");

describe("keys that go straight to the program", () => {
  it("lets every byte through but our own key", () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    expect(through([all])).toBe(all.toString("latin1").replace("\x1c", "|"));
  });

  it("finds our key between others", () => {
    expect(through([bytesOf("ab\x1cd\x1c\x1c")])).toBe("ab|d||");
  });

  it("takes our key in a paste for a part of it", () => {
    const paste = "\x1b[200~a\x1cb\x1b[200~\x1c\x1b[201~";
    expect(through([bytesOf(`${paste}\x1c`)])).toBe(`${paste}|`);
  });

  it("does not take half a mark for a paste", () => {
    expect(through([bytesOf("\x1b[200\x1c~\x1b[20\x1b[200~\x1c")])).toBe("\x1b[200|~\x1b[20\x1b[200~\x1c");
  });

  it("holds nothing back and sees the same whatever way the bytes are split", () => {
    const piece = fc.constantFrom(
      "\x1c",
      "x",
      "\x1b",
      "\x1b[",
      "\x1b[200~",
      "\x1b[201~",
      "\x1b[20",
      "0~",
      "1~",
      "ü",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const bytes = Buffer.from(pieces.join(""));
        const single = Array.from(bytes, (byte) => Buffer.from([byte]));
        expect(through(single)).toBe(through([bytes]));
        expect(through([bytes]).replaceAll("|", "\x1c")).toBe(bytes.toString("latin1"));
      }),
      { numRuns: 1_000 },
    );
  });
});
