import { describe, expect, it } from "vitest";
import { CELL_CHARACTERS, CHARACTER_WIDTHS, characterWidth, hasCertainWidth } from "./character-width.ts";

const widthOf = (character: string) => characterWidth(character.codePointAt(0) ?? 0);

describe("how many columns a character takes", () => {
  it.each([..."aé~–│█Ж✻❯⏺…\u00ad🇩"])("gives %s one", (character) => {
    expect(widthOf(character)).toBe(1);
  });

  it.each([..."漢かカ한，（👍😀🚀✅⚡𠀀"])("gives %s two", (character) => {
    expect(widthOf(character)).toBe(2);
  });

  it.each([
    "\u0301",
    "\u200d",
    "\ufe0f",
    "\u20dd",
    "\u302a",
    "\u1160",
    "\u0000",
    "\u001b",
    "\u007f",
    "\u009b",
  ])("gives %j none", (character) => {
    expect(widthOf(character)).toBe(0);
  });

  it("is certain only where no two terminals disagree", () => {
    for (const sure of ["a", "é", "Ж", "│", "漢", "한"]) expect(hasCertainWidth(sure)).toBe(true);
    for (const doubtful of ["👍", "✻", "e\u0301", "漢\u0301", "\u00ad", "⚠\ufe0f", "ab"])
      expect(hasCertainWidth(doubtful)).toBe(false);
  });

  it.each([
    ["👩‍👩‍👧", 2],
    ["👩‍👩‍👧a", 3],
    ["👍🏽", 2],
    ["🏳️‍🌈", 2],
    ["❤️", 2],
    ["❤", 1],
    ["1️⃣", 2],
    ["🇩🇪", 2],
    ["👩👧", 4],
    ["क्‍ष", 2],
    ["e\u0301\u200d👧", 3],
    ["a🏽", 3],
    ["日本語", 6],
  ])("gives what is drawn as one the room of one: %s takes %i", (text, columns) => {
    let before = 0;
    let taken = 0;
    for (const character of text) {
      const now = CHARACTER_WIDTHS.charProperties(character.codePointAt(0) ?? 0, before);
      const joins = (now & 1) === 1;
      taken += ((now >> 1) & 3) - (joins ? (before >> 1) & 3 : 0);
      before = now;
    }
    expect(taken).toBe(columns);
  });

  it.each([
    ["marks", "a", "\u0301"],
    ["marks on a wide one", "漢", "\u0301"],
    ["pictures that are linked", "👩", "\u200d👩"],
  ])("ends a cell that takes no more: %s", (_what, first, more) => {
    let before = 0;
    const cells: number[] = [];
    const widths: number[] = [];
    for (const character of first + more.repeat(200)) {
      before = CHARACTER_WIDTHS.charProperties(character.codePointAt(0) ?? 0, before);
      if ((before & 1) === 0) cells.push(0);
      cells.push((cells.pop() ?? 0) + 1);
      widths.push((before >> 1) & 3);
    }
    expect(Math.max(...cells)).toBe(CELL_CHARACTERS);
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(1);
  });
});
