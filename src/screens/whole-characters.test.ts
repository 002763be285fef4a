import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { characterStart, wholeLength } from "./whole-characters.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder("utf-8", { fatal: true }).decode(bytes);

describe("text that comes in pieces", () => {
  it("is cut between characters, wherever it is cut", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), fc.nat(), (text, place) => {
        const bytes = encode(text.toWellFormed());
        const cut = characterStart(bytes, place % bytes.length);
        expect(decode(bytes.subarray(0, cut)) + decode(bytes.subarray(cut))).toBe(text.toWellFormed());
        const part = bytes.subarray(0, place % (bytes.length + 1));
        expect(() => decode(part.subarray(0, wholeLength(part)))).not.toThrow();
      }),
    );
  });

  it("is whole where its last character is, and keeps at most three bytes back", () => {
    expect(wholeLength(encode("a—"))).toBe(4);
    expect(wholeLength(encode("a—").subarray(0, 3))).toBe(1);
    expect(wholeLength(new Uint8Array())).toBe(0);
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(bytes.length - wholeLength(bytes)).toBeLessThanOrEqual(3);
      }),
    );
  });
});
