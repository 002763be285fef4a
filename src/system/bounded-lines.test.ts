import { describe, expect, it } from "vitest";
import { BoundedLines } from "./bounded-lines.ts";

function read(chunks: readonly (string | Buffer)[], mostBytes = 1_000, mostLineBytes = 100) {
  const lines: string[] = [];
  let tooMuch = 0;
  const reader = new BoundedLines(
    { mostBytes, mostLineBytes },
    (text) => lines.push(text),
    () => {
      tooMuch += 1;
    },
  );
  for (const chunk of chunks) reader.take(Buffer.from(chunk));
  reader.ended();
  return { lines, tooMuch };
}

describe("output in lines", () => {
  it.each<[readonly (string | Buffer)[], readonly string[]]>([
    [["one\ntwo\n"], ["one", "two"]],
    [
      ["one\r\n", "tw", "o", "\n\n", "three"],
      ["one", "two", "", "three"],
    ],
    [[], []],
    [["\n"], [""]],
    // Within a line of JSON they are text.
    [["a\u2028b\rc\n"], ["a\u2028b\rc"]],
    [[Buffer.from("é").subarray(0, 1), Buffer.from("é").subarray(1)], ["é"]],
  ])("%j", (chunks, lines) => {
    expect(read(chunks)).toEqual({ lines, tooMuch: 0 });
  });

  it("does not keep a line that is too long, and hears nothing after it", () => {
    const all = ["one\n", "x".repeat(60), "x".repeat(60), "\ntwo\n"];
    expect(read(all)).toEqual({ lines: ["one"], tooMuch: 1 });
  });

  it("hears nothing after too many bytes, also of short lines", () => {
    const all = Array.from({ length: 20 }, () => "0123456789\n".repeat(10));
    expect(read(all)).toEqual({ lines: Array.from({ length: 90 }, () => "0123456789"), tooMuch: 1 });
  });

  it("takes a long line in many pieces", () => {
    const pieces = Array.from({ length: 50_000 }, (_, at) => String(at % 10));
    expect(read([...pieces, "\nx"], 100_000, 50_000)).toEqual({ lines: [pieces.join(""), "x"], tooMuch: 0 });
  });
});
