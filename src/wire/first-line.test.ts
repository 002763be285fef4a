import { describe, expect, it } from "vitest";
import { FirstLine } from "./first-line.ts";

const pushed = (line: FirstLine, text: string) => line.push(Buffer.from(text));

describe("the first line", () => {
  it("is put together from pieces, and gives back what stands behind it", () => {
    const line = new FirstLine(10);
    expect(pushed(line, "he")).toEqual({ kind: "partial" });
    expect(pushed(line, "llo\nfra\nmes")).toEqual({
      kind: "whole",
      line: Buffer.from("hello"),
      rest: Buffer.from("fra\nmes"),
    });
  });

  it("may be as long as its limit and no longer, ended or not", () => {
    expect(pushed(new FirstLine(5), "hello\n")).toMatchObject({ kind: "whole" });
    expect(pushed(new FirstLine(5), "hello")).toEqual({ kind: "partial" });
    expect(pushed(new FirstLine(5), "hello!")).toEqual({ kind: "too-long" });
    expect(pushed(new FirstLine(5), "hello!\n")).toEqual({ kind: "too-long" });
  });
});
