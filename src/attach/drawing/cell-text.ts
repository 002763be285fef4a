/** Text as cells, for the lines that are ours. */
import { BLANK, type Cell, type Row, SECOND_HALF } from "../../screens/cells.ts";
import { characterWidth } from "../../screens/character-width.ts";

export interface Piece {
  readonly text: string;
  readonly style?: string;
}

/** Control characters have no place in a cell; a mark joins the character before it. */
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

/** As many as fit, the last of them a sign that there was more. */
export function cutCells(cells: readonly Cell[], columns: number): Cell[] {
  if (cells.length <= columns) return [...cells];
  if (columns <= 0) return [];
  const kept = cells.slice(0, columns - 1);
  const { style, width } = kept.at(-1) ?? BLANK;
  // Half a character is none.
  if (width === 2) kept[kept.length - 1] = { ...BLANK, style };
  return [...kept, { text: "…", width: 1, style }];
}

/** A line that only tells something. */
export function faintRow(text: string, columns: number): Row {
  return rowOf(cellsOf({ text: ` ${text}`, style: "2" }), columns);
}

/** Exactly one row, blank (in this style) where there is nothing. */
export function rowOf(cells: readonly Cell[], columns: number, style = ""): Row {
  const blank: Cell = style === "" ? BLANK : { ...BLANK, style };
  const row = cutCells(cells, columns);
  while (row.length < columns) row.push(blank);
  return row;
}
