/** How large the letters are. Pure: a terminal is never resized for a viewer, so its letters are. */

/** Smaller ones cannot be read: then the terminal is wider than its place, and is moved under the finger. */
const SMALLEST = 7;
/** For the sake of the height alone they are not made smaller than this. */
const SMALLEST_FOR_HEIGHT = 10;
const LARGEST = 14;

export interface Extent {
  readonly across: number;
  readonly down: number;
}

/** `place` in pixels, `size` in cells, `cell` in pixels for a font of 1 px. */
export function fontSizeFor(place: Extent, size: Extent, cell: Extent): number {
  const wide = fitting(place.across, size.across * cell.across);
  const high = fitting(place.down, size.down * cell.down);
  return Math.max(SMALLEST, Math.min(wide, Math.max(high, SMALLEST_FOR_HEIGHT)));
}

function fitting(pixels: number, perFontPixel: number): number {
  if (!(pixels > 0 && perFontPixel > 0)) return LARGEST;
  return Math.min(LARGEST, Math.floor((pixels / perFontPixel) * 4) / 4);
}

/** How far to scroll so that this row is seen, with one row around it; undefined if it is. */
export function scrolledTo(
  row: number,
  rowHeight: number,
  view: { readonly top: number; readonly height: number },
): number | undefined {
  const [top, bottom] = [(row - 1) * rowHeight, (row + 2) * rowHeight];
  if (top >= view.top && bottom <= view.top + view.height) return undefined;
  return Math.max(0, top < view.top ? top : bottom - view.height);
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
