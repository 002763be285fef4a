import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutputText, TitleFilter, unescaped } from "./output-text.ts";

/** As a control client writes it. */
function escaped(bytes: Buffer): Buffer {
  return Buffer.concat(
    [...bytes].map((byte) =>
      byte < 0x20 || byte === 0x5c || byte === 0x7f
        ? Buffer.from(`\\${byte.toString(8).padStart(3, "0")}`)
        : Buffer.of(byte),
    ),
  );
}

function inPieces(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

const anyText = fc.string({ unit: "binary" });
const cuts = fc.array(fc.nat(1_000), { maxLength: 20 });

describe("output", () => {
  it("comes back as it was before tmux escaped it", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (array) => {
        const bytes = Buffer.from(array);
        expect(unescaped(escaped(bytes)).equals(bytes)).toBe(true);
      }),
    );
    expect(unescaped(Buffer.from("a\\")).toString()).toBe("a\\");
    expect(unescaped(Buffer.from("\\08")).toString()).toBe("\\08");
  });

  it("is the same text in whatever pieces it comes, and no piece splits a character", () => {
    fc.assert(
      fc.property(anyText, cuts, (given, at) => {
        const plain = given.replaceAll("\x1b", "").replaceAll("\ufffd", "?");
        const bytes = Buffer.from(plain, "utf8");
        const text = new OutputText();
        const pieces = inPieces(bytes, at).map((piece) => text.push(escaped(piece)) ?? "torn");
        expect(pieces.join("")).toBe(bytes.toString("utf8"));
        for (const piece of pieces) expect(piece.isWellFormed()).toBe(true);
      }),
    );
  });

  it("leaves out bytes that are not text, as tmux does, and keeps what a program means by a strange mark", () => {
    expect(new OutputText().push(Buffer.from([0x61, 0xff, 0xc3, 0x62]))).toBe("ab");
    expect(new OutputText().push(Buffer.from("a\ufffdb"))).toBe("a\ufffdb");
  });

  it("that begins within a character is told apart, once, after a gap too", () => {
    const dash = Buffer.from("—");
    const text = new OutputText();
    expect(text.push(dash.subarray(1))).toBeUndefined();
    expect(text.push(dash)).toBe("—");
    text.gap();
    expect(text.push(dash.subarray(2))).toBeUndefined();
  });

  it("goes on within the sequence in which the pane was captured", () => {
    const text = new OutputText();
    expect(text.begunAt(Buffer.from("\x1bkhalf a ti"))).toBe("");
    expect(text.push(Buffer.from("tle\\033\\134shown"))).toBe("\x1b\\shown");
    expect(text.begunAt(Buffer.from("\x1b[3"))).toBe("\x1b[3");
  });
});

describe("titles that only tmux knows", () => {
  const filtered = (pieces: readonly Buffer[]): string => {
    const filter = new TitleFilter();
    return Buffer.concat(pieces.map((piece) => filter.push(piece))).toString("latin1");
  };

  it.each([
    ["\x1bkname\x1b\\after", "\x1b\\after"],
    ["before\x1bkname\x18after", "beforeafter"],
    ["\x1bkname\x1b[1mafter", "\x1b[1mafter"],
    ["\x1bka\x1bkb\x1b\\", "\x1b\\"],
    ["\x1b\x1bkx\x1b\\", "\x1b\x1b\\"],
    ["\x1b]2;kept\x07", "\x1b]2;kept\x07"],
  ])("%j is left as %j, in whatever pieces it comes", (given, left) => {
    fc.assert(
      fc.property(cuts, (at) => {
        expect(filtered(inPieces(Buffer.from(given, "latin1"), at))).toBe(left);
      }),
    );
  });
});
