import { describe, expect, it } from "vitest";
import { commandOf, type Pressed, stepped } from "./keys.ts";

const press = (key: string, more: Partial<Pressed> = {}) =>
  commandOf({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    isInText: false,
    isInDialog: false,
    isComposing: false,
    ...more,
  });

describe("a key", () => {
  it.each([
    ["/", "filter"],
    ["j", "next"],
    ["k", "previous"],
    ["a", "approve"],
    ["d", "deny"],
    ["?", "keys"],
    ["Escape", "close"],
    ["x", undefined],
    ["constructor", undefined],
  ])("%s means %s", (key, command) => {
    expect(press(key)).toBe(command);
  });

  it("goes into a text that has the focus; only Escape and the palette come through", () => {
    for (const key of ["a", "d", "j", "?", "/"]) expect(press(key, { isInText: true })).toBeUndefined();
    expect(press("Escape", { isInText: true })).toBe("close");
    expect(press("k", { isInText: true, ctrlKey: true })).toBe("palette");
    expect(press("K", { metaKey: true })).toBe("palette");
  });

  it("never approves while a dialog, a modifier or an input method has it", () => {
    expect(press("a", { isInDialog: true })).toBeUndefined();
    expect(press("a", { isComposing: true })).toBeUndefined();
    for (const modifier of ["ctrlKey", "metaKey", "altKey"])
      expect(press("a", { [modifier]: true })).toBeUndefined();
  });
});

describe("a step", () => {
  const order = ["card/1", "row/a", "row/b"];
  it("begins at the top, and stays at either end", () => {
    expect(stepped(order, undefined, 1)).toBe("card/1");
    expect(stepped(order, "card/1", 1)).toBe("row/a");
    expect(stepped(order, "row/b", 1)).toBe("row/b");
    expect(stepped(order, "card/1", -1)).toBe("card/1");
  });
  it("begins anew if what had the focus is gone", () => {
    expect(stepped(order, "card/0", 1)).toBe("card/1");
    expect(stepped([], "card/0", 1)).toBeUndefined();
  });
});
