import fc from "fast-check";
import { expect, it } from "vitest";
import { lineTexts } from "./line-texts.ts";

it("gives the same lines however the bytes are cut, also within a character", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc
          .string({ unit: "binary", maxLength: 20 })
          .filter((text) => !text.includes("\n") && !/\p{Surrogate}/u.test(text)),
        { maxLength: 8 },
      ),
      fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
      (lines, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const textOf = lineTexts(1_000);
        let heard = "";
        for (let at = 0; at < bytes.length; ) {
          const step = cuts.next().value ?? 1;
          const text = textOf(bytes.subarray(at, at + step));
          if (text !== "") expect(text.endsWith("\n")).toBe(true);
          heard += text;
          at += step;
        }
        expect(heard).toBe(bytes.toString());
      },
    ),
  );
});

it("takes a line at the limit and refuses one byte more, whole or begun", () => {
  expect(lineTexts(8)(Buffer.from("12345678\n"))).toBe("12345678\n");
  expect(() => lineTexts(8)(Buffer.from("123456789\n"))).toThrow("at most");
  const textOf = lineTexts(8);
  expect(textOf(Buffer.from("a\n1234"))).toBe("a\n");
  expect(() => textOf(Buffer.from("56789"))).toThrow("at most");
});
