/** Draws the bar. Pure. */

import type { Priority } from "../../core/message.ts";
import { BLANK, type Cell, type Row } from "../../screens/cells.ts";
import type { Bar } from "../keys/bar.ts";
import { cellsOf, cutCells, rowOf } from "./cell-text.ts";

const LABELS: Readonly<Record<Priority, string>> = {
  normal: "1;32",
  interrupt: "1;31",
  "idle-first": "1;33",
  idle: "1;36",
};
const FAINT = "2";
const SIGN = " ❯ ";
/** How many columns' worth of text around the cursor is examined. */
const SCAN_FACTOR = 4;

export interface BarRow {
  readonly row: Row;
  readonly cursorX: number;
}

/** `hint` is shown in place of the text while there is none. */
export function barRow(bar: Bar, hint: string, columns: number): BarRow {
  const label = [
    ...cellsOf({ text: ` ${bar.priority}`, style: LABELS[bar.priority] }),
    ...cellsOf({ text: SIGN, style: FAINT }),
  ].slice(0, Math.max(0, columns - 2));
  const room = columns - label.length;
  if (bar.text === "") {
    const cells = [...label, ...cellsOf({ text: hint, style: FAINT })];
    return { row: rowOf(cells, columns), cursorX: Math.min(label.length, Math.max(0, columns - 1)) };
  }
  const { cells, cursor } = visible(bar, room);
  return { row: rowOf([...label, ...cells], columns), cursorX: label.length + cursor };
}

/** The part around the cursor that fits; text left out on either side shows as `…`. */
function visible(
  { text, at }: Bar,
  room: number,
): { readonly cells: readonly Cell[]; readonly cursor: number } {
  const reach = room * SCAN_FACTOR;
  const from = characterStart(text, Math.max(0, at - reach));
  const to = characterStart(text, Math.min(text.length, at + reach));
  const before = cellsOf({ text: shown(text.slice(from, at)) });
  const after = cellsOf({ text: shown(text.slice(at, to)) });
  // One column more than the text, for the cursor behind its end.
  if (from === 0 && to === text.length && before.length + after.length < room)
    return { cells: [...before, ...after], cursor: before.length };
  const ahead = Math.min(after.length, Math.floor(room / 3));
  const cut = Math.max(0, before.length - (room - 1 - ahead));
  const kept = before.slice(cut);
  const isCut = cut > 0 || from > 0;
  if (isCut && kept.length > 0) {
    // Cutting off half a character removes its other half too.
    if (kept[1]?.width === 0) kept[1] = BLANK;
    kept[0] = { text: "…", width: 1, style: FAINT };
  }
  return { cells: cutCells([...kept, ...after], room), cursor: Math.min(kept.length, room - 1) };
}

function characterStart(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? "") ? at + 1 : at;
}

/** Newlines and tabs are shown as signs, one column each. */
function shown(text: string): string {
  return text.replaceAll("\n", "↵").replaceAll("\t", "→");
}
