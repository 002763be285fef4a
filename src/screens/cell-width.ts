import { characterWidth, isSkinTone, ranges } from "./character-width.ts";

/**
 * How many columns a text takes, or undefined if terminals disagree (joiners, combining marks, flags, new emoji).
 * Only a certain width may be compared with the cursor's position.
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

/** A captured row loses its trailing blanks; the cursor's position behind them restores them. */
export function paddedToCell(text: string, cell: number): string {
  const missing = cell - (cellsOf(text) ?? cell);
  return missing > 0 ? text + " ".repeat(missing) : text;
}

/**
 * Rows of a composer → the text a person would recognise. A row that had no room for the next word was wrapped,
 * not ended. The screen does not show for certain which it was, so use the result only for showing and comparing.
 */
export function joinWrappedRows(rows: readonly string[], width: number): string {
  let text = "";
  rows.forEach((row, at) => {
    if (at > 0) text += joint(rows[at - 1] ?? "", row, width);
    text += row;
  });
  return text;
}

function joint(above: string, below: string, width: number): "\n" | " " | "" {
  const word = /^\S+/u.exec(below)?.[0];
  if (word === undefined || above.trim() === "") return "\n";
  const room = width - (cellsOf(above) ?? above.length);
  if (room <= 0) return "";
  return room < 1 + (cellsOf(word) ?? word.length) ? " " : "\n";
}

const isNarrow = ranges(
  "20-7e a0-ac ae-2ff 370-482 48a-52f 2010-2027 2030-205e 20a0-20bf 2190-21ff 2500-25fc 2713-2718 2768-2775",
  "2800-28ff",
);
const isWide = ranges(
  "1100-115f 2e80-303e 3041-3096 309b-33ff 3400-4dbf 4e00-9fff ac00-d7a3 f900-faff ff01-ff60 ffe0-ffe6",
  "20000-3fffd",
);
/** Emoji of 2016, which every terminal knows by now, and only those the screen model also draws as pictures. */
const isEmoji = ranges("231a-231b 23e9-23f3 25fd-27bf 2b1b-2b55 1f300-1f64f 1f680-1f6c5 1f910-1f93a");

function widthOf(codePoint: number): 1 | 2 | undefined {
  if (isNarrow(codePoint)) return 1;
  if (isWide(codePoint)) return 2;
  // A skin tone may or may not join the character before it.
  return isEmoji(codePoint) && !isSkinTone(codePoint) && characterWidth(codePoint) === 2 ? 2 : undefined;
}
