import { describe, expect, it } from "vitest";
import { BAR, charactersOf, givesBack, mayPaste } from "./keys.ts";

describe("the keys of a terminal in the page", () => {
  it("are those of a terminal", () => {
    expect(BAR.map(({ name }) => charactersOf(name, false))).toEqual([
      ...["\x1b", "\t", "\x1b[Z", "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[C", "\r", "\x03"],
    ]);
    expect(charactersOf("up", true)).toBe("\x1bOA");
  });

  it("give the keyboard back by one of them only", () => {
    const pressed = { key: "\\", ctrlKey: true, altKey: false, metaKey: false };
    expect(givesBack(pressed)).toBe(true);
    for (const other of [{ key: "c" }, { ctrlKey: false }, { altKey: true }, { metaKey: true }])
      expect(givesBack({ ...pressed, ...other })).toBe(false);
  });

  it("paste several lines only where that submits nothing", () => {
    expect(mayPaste("one", false)).toBe(true);
    expect(mayPaste("one\ntwo", false)).toBe(false);
    expect(mayPaste("one\rtwo", false)).toBe(false);
    expect(mayPaste("one\ntwo", true)).toBe(true);
  });
});
