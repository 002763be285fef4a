import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BellhopError } from "../core/errors.ts";
import { LIMITS } from "../core/message.ts";
import { isDeeperThan, jsonLine, parseJsonBytes, readLines } from "./lines.ts";

const collect = (maxBytes?: number) => {
  const lines: string[] = [];
  const reader = readLines((line) => lines.push(line.toString("utf8")), maxBytes);
  return { lines, reader };
};
const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return (error as BellhopError).code;
  }
  return "none";
};

describe("lines", () => {
  it("gives the same lines however the bytes are cut", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc
            .string({ unit: "binary", maxLength: 20 })
            .filter((text) => text !== "" && !/[\n\r]/.test(text) && !/\p{Surrogate}/u.test(text)),
          { maxLength: 8 },
        ),
        fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
        (texts, cuts) => {
          const { lines, reader } = collect();
          const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(""));
          for (let at = 0; at < bytes.length; ) {
            const step = cuts.next().value ?? 1;
            reader.push(bytes.subarray(at, at + step));
            at += step;
          }
          expect(lines).toEqual(texts);
          expect(reader.pending).toBe(false);
        },
      ),
    );
  });

  it("takes a last line without its newline, and CRLF, and skips empty lines", () => {
    const { lines, reader } = collect();
    reader.push(Buffer.from("a\r\n\n\nb"));
    expect(reader.pending).toBe(true);
    reader.end();
    expect(lines).toEqual(["a", "b"]);
  });

  it("takes a line at the limit and refuses one byte more", () => {
    const { lines, reader } = collect(8);
    reader.push(Buffer.from("12345678\n"));
    expect(lines).toEqual(["12345678"]);
    reader.push(Buffer.from("1234"));
    expect(codeOf(() => reader.push(Buffer.from("56789")))).toBe("request.too_large");
  });

  it("takes JSON at the depth limit and refuses one level more", () => {
    const nested = (depth: number) => Buffer.from("[".repeat(depth) + "]".repeat(depth));
    expect(parseJsonBytes(nested(LIMITS.jsonDepth))).toBeTruthy();
    expect(codeOf(() => parseJsonBytes(nested(LIMITS.jsonDepth + 1)))).toBe("request.malformed");
    expect(codeOf(() => parseJsonBytes(nested(200_000)))).toBe("request.malformed");
  });

  it("does not count brackets inside strings", () => {
    expect(isDeeperThan(JSON.stringify({ text: `\\"${"[{".repeat(500)}` }), 64)).toBe(false);
    expect(parseJsonBytes(Buffer.from(JSON.stringify(["[".repeat(500)])))).toEqual(["[".repeat(500)]);
  });

  it("agrees with JSON.parse on every value within the depth", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        expect(parseJsonBytes(Buffer.from(jsonLine(value)))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("refuses bytes that are not UTF-8 and text that is not JSON", () => {
    expect(codeOf(() => parseJsonBytes(Buffer.from([0x22, 0xc3, 0x28, 0x22])))).toBe("message.invalid_utf8");
    expect(codeOf(() => parseJsonBytes(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])))).toBe(
      "message.invalid_utf8",
    );
    expect(codeOf(() => parseJsonBytes(Buffer.from("{nope")))).toBe("request.malformed");
  });
});
