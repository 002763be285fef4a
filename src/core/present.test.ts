import { expect, it } from "vitest";
import { present } from "./present.ts";

it("leaves out what is undefined, and nothing else", () => {
  const given: { readonly a?: number; readonly b?: string | null; readonly c?: boolean | undefined } = {
    a: 0,
    b: null,
    c: undefined,
  };
  expect(present({ a: given.a, b: given.b, c: given.c, d: "" })).toStrictEqual({ a: 0, b: null, d: "" });
});
