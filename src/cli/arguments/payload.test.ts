import { describe, expect, it } from "vitest";
import { LIMITS } from "../../core/message.ts";
import { payloadFrom } from "./payload.ts";

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

describe("a payload", () => {
  it.each(["null", "5", '"text"', "[1,[2]]", ' {"a":{"b_c":1}}\n', '{"a":"[[[["}'])(
    "may be any JSON: %s",
    (text) => {
      expect(payloadFrom(text)).toEqual(JSON.parse(text));
    },
  );

  it("keeps a key that would be magic elsewhere", () => {
    const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":1}}';
    expect(JSON.stringify(payloadFrom(text))).toBe(text);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("may be as deep as a request can carry, and no deeper", () => {
    expect(() => payloadFrom(nested(LIMITS.jsonDepth - 1))).not.toThrow();
    expect(() => payloadFrom(nested(LIMITS.jsonDepth))).toThrow(/deeper than 63 levels/);
    expect(() => payloadFrom(nested(1_000_000))).toThrow(/deeper/);
  });

  it("may be as long as a text, as it travels", () => {
    const long = (bytes: number) => JSON.stringify("x".repeat(bytes - 2));
    expect(() => payloadFrom(long(LIMITS.bodyBytes))).not.toThrow();
    expect(() => payloadFrom(long(LIMITS.bodyBytes + 1))).toThrow(/256 KiB/);
    expect(() => payloadFrom(JSON.stringify("ü".repeat(LIMITS.bodyBytes / 2)))).toThrow(/256 KiB/);
    const grows = `[${Array.from({ length: 20_000 }, () => "1e20").join(",")}]`;
    expect(grows.length).toBeLessThan(LIMITS.bodyBytes);
    expect(() => payloadFrom(grows)).toThrow(/256 KiB/);
  });

  it.each(["", " ", "{", "undefined", "{'a':1}", "{a:1}", "NaN", "[1,]", '{"a":1}{"b":2}', "\0", '"a\nb"'])(
    "is refused when it is no JSON: %j",
    (text) => {
      expect(() => payloadFrom(text)).toThrow(expect.objectContaining({ code: "usage.invalid" }));
    },
  );

  it.each(["1e999", '{"a":[-1e999]}'])(
    "is refused when a number would become null on the way: %s",
    (text) => {
      expect(() => payloadFrom(text)).toThrow(/too large for JSON/);
    },
  );
});
