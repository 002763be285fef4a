import { characterWidth } from "./character-width.ts";

/**
 * How many columns a text takes, or undefined where terminals disagree (joiners, combining marks, flags, new emoji).
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

/** Those of 2016, which every terminal knows by now; of them only what is a picture by itself, as the screen model has it. */
const EMOJI: readonly (readonly [number, number])[] = [
  [0x231a, 0x231b],
  [0x23e9, 0x23f3],
  [0x25fd, 0x27bf],
  [0x2b1b, 0x2b55],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6c5],
  [0x1f910, 0x1f93a],
];
const SKIN_TONES: readonly (readonly [number, number])[] = [[0x1f3fb, 0x1f3ff]];

function widthOf(codePoint: number): 1 | 2 | undefined {
  const within = ([first, last]: readonly [number, number]) => codePoint >= first && codePoint <= last;
  if (NARROW.some(within)) return 1;
  if (WIDE.some(within)) return 2;
  // Not a skin tone: it joins the one before it, or does not.
  const isEmoji = EMOJI.some(within) && !SKIN_TONES.some(within);
  return isEmoji && characterWidth(codePoint) === 2 ? 2 : undefined;
}
