import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWellFormed, sanitiseLine, sanitiseText } from "./sanitise.ts";

const ESC = "\x1b";

/** Written as a table of code points, not as the expression under test. */
function isBanned(code: number): boolean {
  if (code === 0x09 || code === 0x0a) return false;
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  if (code >= 0xd800 && code <= 0xdfff) return true;
  if (code >= 0x202a && code <= 0x202e) return true;
  if (code >= 0x2060 && code <= 0x206f) return true;
  if (code >= 0xe0000 && code <= 0xe007f) return true;
  return [0x061c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0xfeff].includes(code);
}

function bannedIn(text: string): readonly string[] {
  return [...text].filter((character) => isBanned(character.codePointAt(0) ?? 0));
}

const anyUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
  .map((units) => String.fromCharCode(...units));
const pieces = fc.constantFrom(
  ...[ESC, "[", "]", "201~", "200~", "20", "0;", "m", "\x07", `${ESC}\\`, "\x9b", "\x9d", "\x9c", "P", "_"],
  ...["^", "X", "O", "N", "(", "B", "\r", "\n", "\t", " ", "\ud83d", "\ude00", "\u200d", "\u200c", "\u200b"],
  ...["\u2066", "\u202e", "\u2028", "\u{e0041}", "\x7f", "\x85", "a", "é", "字", "👩", "\x18"],
);
const hostile = fc.oneof(
  anyUnits,
  fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join("")),
);

describe("sanitiseText", () => {
  it("leaves nothing that a terminal could act on, whatever comes in", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(bannedIn(sanitiseText(text))).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("changes nothing the second time", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const once = sanitiseText(text);
        expect(sanitiseText(once)).toBe(once);
      }),
      { numRuns: 2_000 },
    );
  });

  it("passes plain printable text of any script unchanged", () => {
    const printable = fc
      .array(
        fc
          .integer({ min: 0x20, max: 0x10ffff })
          .filter((code) => !isBanned(code) && !/[\p{C}\p{Zl}\p{Zp}]/u.test(String.fromCodePoint(code))),
        { maxLength: 60 },
      )
      .map((codes) => String.fromCodePoint(...codes));
    fc.assert(fc.property(printable, (text) => sanitiseText(text) === text));
  });

  it.each([
    ["emoji and families", "👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽 ❤️ 🇫🇷 1️⃣"],
    ["Chinese, Japanese, Korean", "你好，世界 こんにちは 안녕하세요 ﾃｽﾄ"],
    ["Arabic and Hebrew", "مرحبا بالعالم שלום"],
    ["Persian with its non-joiner", "می‌خواهم"],
    ["Hindi with its joiner", "क्‍ष"],
    ["combining marks", "e\u0301 ñ Zal\u0337go"],
    ["several lines with tabs", "one\n\ttwo\n\nthree"],
  ])("keeps %s", (_name, text) => {
    expect(sanitiseText(text)).toBe(text);
  });

  it.each([
    ["a paste terminator nested in itself", `a${ESC}[20${ESC}[201~1~b`, "a1~b"],
    ["colours", `${ESC}[1;31mred${ESC}[0m`, "red"],
    ["a sequence with intermediates", `a${ESC}[2 qb`, "ab"],
    ["an unfinished control sequence", `a${ESC}[20`, "a"],
    ["a lone escape", `a${ESC}`, "a"],
    ["a title ended by BEL", `a${ESC}]0;evil\x07b`, "ab"],
    ["a title ended by ST", `a${ESC}]0;evil${ESC}\\b`, "ab"],
    ["DCS", `a${ESC}Pq#0${ESC}\\b`, "ab"],
    ["APC", `a${ESC}_Gf=1${ESC}\\b`, "ab"],
    ["PM", `a${ESC}^x${ESC}\\b`, "ab"],
    ["SOS", `a${ESC}Xx${ESC}\\b`, "ab"],
    ["8-bit CSI", "a\x9b31mb", "ab"],
    ["8-bit OSC", "a\x9d0;evil\x9cb", "ab"],
    ["8-bit DCS", "a\x90x\x9cb", "ab"],
    ["a character set", `a${ESC}(Bb`, "ab"],
    ["a reset", `a${ESC}cb`, "ab"],
    ["a function key", `a${ESC}OPb`, "ab"],
    ["backspaces and bells", "a\b\x07b", "ab"],
    ["DEL and C1", "a\x7f\x85b", "ab"],
    ["CRLF and CR", "a\r\nb\rc", "a\nb\nc"],
    ["Unicode line ends", "a\u2028b\u2029c", "a\nb\nc"],
    ["bidirectional overrides", "a\u202eb\u2066c\u2069\u200e\u200f\u061c", "abc"],
    ["hidden tag letters", "a\u{e0048}\u{e0049}b", "ab"],
    ["zero-width spaces", "a\u200b\ufeff\u2060b", "ab"],
    ["half a character", "a\ud83d", "a\ufffd"],
    ["halves that would join around a control", "\ud83d\x00\ude00", "\ufffd\ufffd"],
    ["joiners at an edge or beside a space", "\u200da \u200db\u200c c\u200d", "a b c"],
    ["a run of joiners", "a\u200d\u200d\u200cb", "a\u200db"],
  ])("removes %s", (_name, text, clean) => {
    expect(sanitiseText(text)).toBe(clean);
  });

  it("shows the text of a string sequence that never ends, instead of swallowing the message", () => {
    expect(sanitiseText(`a${ESC}]0;the rest\nof it`)).toBe("a0;the rest\nof it");
    expect(sanitiseText(`a${ESC}]0;kept${ESC}[31m red`)).toBe("a0;kept red");
  });

  it("drops the letters of a subdivision flag and keeps the flag", () => {
    expect(sanitiseText("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}")).toBe("🏴");
  });

  it.each([
    ["escapes alone", ESC],
    ["openings of titles", `${ESC}]`],
    ["8-bit openings", "\x9d"],
    ["unfinished control sequences", `${ESC}[1;`],
    ["a string opening and its text", `${ESC}Pxxxxxxxx`],
    ["nested terminators", `${ESC}[20${ESC}[201~1~`],
  ])("looks at each character a bounded number of times for 100 KB of %s", (_name, piece) => {
    const text = piece.repeat(Math.ceil(100_000 / piece.length));
    const looks = countLooks(() => sanitiseText(text));
    expect(looks).toBeLessThan(text.length * 20);
  });

  it("looks at one long unfinished string no more than a short one, per character", () => {
    const text = `${ESC}]${"x".repeat(100_000)}`;
    expect(countLooks(() => sanitiseText(text))).toBeLessThan(text.length * 20);
  });
});

/** Counts the scanner's reads: a bound on work that does not depend on the machine's speed. */
function countLooks(work: () => void): number {
  const original = String.prototype.charCodeAt;
  let looks = 0;
  String.prototype.charCodeAt = function counted(this: string, index: number): number {
    looks += 1;
    return original.call(this, index);
  };
  try {
    work();
  } finally {
    String.prototype.charCodeAt = original;
  }
  return looks;
}

describe("sanitiseLine", () => {
  it("gives one clean line of at most the given length, the same the second time", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 0, max: 50 }), (text, max) => {
        const line = sanitiseLine(text, max);
        expect(bannedIn(line)).toEqual([]);
        expect(line).not.toMatch(/[\n\t]/);
        expect([...line].length).toBeLessThanOrEqual(max);
        expect(sanitiseLine(line, max)).toBe(line);
      }),
      { numRuns: 1_000 },
    );
  });

  it("turns newlines and tabs into spaces", () => {
    expect(sanitiseLine("a\nb\tc\r\nd")).toBe("a b c d");
  });

  it("cuts by code points, never inside one", () => {
    expect(sanitiseLine("👍👍👍", 2)).toBe("👍👍");
    expect(sanitiseLine("👨‍👩‍👧", 2)).toBe("👨");
  });
});

describe("isWellFormed", () => {
  it("tells whole characters from halves", () => {
    expect(isWellFormed("a👍字")).toBe(true);
    expect(isWellFormed("a\ud83d")).toBe(false);
    expect(isWellFormed("\ude00\ud83d")).toBe(false);
  });
});
