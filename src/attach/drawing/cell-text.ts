/** Text as cells, for our own lines. */
import { BLANK, type Cell, type Row, SECOND_HALF } from "../../screens/cells.ts";
import { characterWidth } from "../../screens/character-width.ts";

export interface Piece {
  readonly text: string;
  readonly style?: string;
}

/** Control characters are dropped; a combining mark joins the character before it. */
export function cellsOf({ text, style = "" }: Piece): Cell[] {
  const cells: Cell[] = [];
  for (const character of text) {
    const width = characterWidth(character.codePointAt(0) ?? 0);
    if (width > 0) {
      cells.push({ text: character, width, style });
      if (width === 2) cells.push(SECOND_HALF);
      continue;
    }
    const at = cells.at(-1)?.width === 0 ? cells.length - 2 : cells.length - 1;
    const before = cells[at];
    if (before !== undefined && character >= "\xa0") cells[at] = { ...before, text: before.text + character };
  }
  return cells;
}

/** As many as fit; if any were cut, the last is a sign that there was more. */
export function cutCells(cells: readonly Cell[], columns: number): Cell[] {
  if (cells.length <= columns) return [...cells];
  if (columns <= 0) return [];
  const kept = cells.slice(0, columns - 1);
  const { style, width } = kept.at(-1) ?? BLANK;
  // Half of a wide character is replaced by a blank.
  if (width === 2) kept[kept.length - 1] = { ...BLANK, style };
  return [...kept, { text: "…", width: 1, style }];
}

/** A dim line that only informs. */
export function faintRow(text: string, columns: number): Row {
  return rowOf(cellsOf({ text: ` ${text}`, style: "2" }), columns);
}

/** Exactly one row, padded with blanks of this style. */
export function rowOf(cells: readonly Cell[], columns: number, style = ""): Row {
  const blank: Cell = style === "" ? BLANK : { ...BLANK, style };
  const row = cutCells(cells, columns);
  while (row.length < columns) row.push(blank);
  return row;
}
