/** Which rows of a long list are to be drawn: those in view, and a few around them. Pure. */
export interface Layout {
  /** Where each row begins; one more for where the last one ends. */
  readonly offsets: Float64Array;
}

/** In pixels, from the top of the list. */
export interface View {
  readonly top: number;
  readonly height: number;
}

export interface Drawn {
  readonly first: number;
  /** The one after the last. */
  readonly end: number;
}

/** Above and below the view, so that a quick finger sees no empty place. */
export const AROUND_PX = 400;

export function layoutOf<Row>(rows: readonly Row[], heightOf: (row: Row) => number): Layout {
  const offsets = new Float64Array(rows.length + 1);
  for (const [index, row] of rows.entries()) offsets[index + 1] = (offsets[index] ?? 0) + heightOf(row);
  return { offsets };
}

export function totalHeight({ offsets }: Layout): number {
  return offsets.at(-1) ?? 0;
}

export function offsetOf({ offsets }: Layout, index: number): number {
  return offsets[index] ?? 0;
}

export function drawnIn(layout: Layout, { top, height }: View, around = AROUND_PX): Drawn {
  const count = layout.offsets.length - 1;
  const first = Math.min(count, rowAt(layout, top - around));
  const last = rowAt(layout, top + height + around);
  return { first, end: Math.max(first, Math.min(count, last + 1)) };
}

/** The row that covers this place; the first or the last if it is outside. */
function rowAt({ offsets }: Layout, place: number): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((offsets[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Where the view must begin for this row to be seen whole; undefined if it is already. */
export function topToReveal(layout: Layout, index: number, { top, height }: View): number | undefined {
  const [from, to] = [offsetOf(layout, index), offsetOf(layout, index + 1)];
  if (from < top) return from;
  return to > top + height ? to - height : undefined;
}
