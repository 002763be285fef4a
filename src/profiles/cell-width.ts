/**
 * How many columns a text takes, or undefined where terminals disagree (emoji, joiners, combining marks).
 * Only what is certain is used to compare a text with the cursor.
 */
export function cellsOf(text: string): number | undefined {
  let cells = 0;
  for (const character of text) {
    const width = widthOf(character.codePointAt(0) ?? 0);
    if (width === undefined) return undefined;
    cells += width;
  }
  return cells;
}

/** A terminal's picture loses blanks at a row's end; the cursor behind them brings them back. */
export function paddedToCell(text: string, cell: number): string {
  const missing = cell - (cellsOf(text) ?? cell);
  return missing > 0 ? text + " ".repeat(missing) : text;
}

const NARROW: readonly (readonly [number, number])[] = [
  [0x20, 0x7e],
  [0xa0, 0xac],
  [0xae, 0x2ff],
  [0x370, 0x482],
  [0x48a, 0x52f],
  [0x2010, 0x2027],
  [0x2030, 0x205e],
  [0x20a0, 0x20bf],
  [0x2190, 0x21ff],
  [0x2500, 0x25fc],
  [0x2713, 0x2718],
  [0x2768, 0x2775],
  [0x2800, 0x28ff],
];

const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x3096],
  [0x309b, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x20000, 0x3fffd],
];

function widthOf(codePoint: number): 1 | 2 | undefined {
  const within = ([first, last]: readonly [number, number]) => codePoint >= first && codePoint <= last;
  if (NARROW.some(within)) return 1;
  return WIDE.some(within) ? 2 : undefined;
}
