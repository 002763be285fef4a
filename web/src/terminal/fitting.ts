/** How large the letters are. Pure: a terminal is never resized for a viewer, so its letters are. */

/** Smaller ones cannot be read: then the terminal is wider than its place, and is moved under the finger. */
const SMALLEST = 7;
const LARGEST = 14;

/** `ratio`: how wide a cell is, for a font of 1 px. */
export function fontSizeFor(width: number, cols: number, ratio: number): number {
  if (!(width > 0 && cols > 0 && ratio > 0)) return LARGEST;
  const fitting = Math.floor((width / (cols * ratio)) * 4) / 4;
  return Math.min(LARGEST, Math.max(SMALLEST, fitting));
}

/** Lines that a finger has moved by, and what is left over for its next move. */
export function linesMoved(
  pixels: number,
  lineHeight: number,
): { readonly lines: number; readonly rest: number } {
  if (!(lineHeight > 0)) return { lines: 0, rest: 0 };
  const lines = Math.trunc(pixels / lineHeight);
  return { lines, rest: pixels - lines * lineHeight };
}
