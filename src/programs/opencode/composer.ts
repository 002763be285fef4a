import type { DraftReading } from "../../core/readiness/reading.ts";
import type { Screen, ScreenLine } from "../../core/readiness/screen.ts";
import { joinWrappedRows, paddedToCell } from "../../screens/cell-width.ts";
import { isBlank, rowAt, rowsBetween } from "../../screens/screen-rows.ts";

/** OpenCode's input rows: behind a bar at the left, over a row that names the agent, above a closed edge. */
export interface OpencodeComposer {
  readonly first: number;
  readonly last: number;
  /** The column of the bar. */
  readonly bar: number;
  readonly rows: readonly ScreenLine[];
  readonly footer: ScreenLine;
}

/** Between the bar and the text. */
const MARGIN = 3;
const RIGHT_EDGE = 6;
const BAR = "┃";
const EDGE = /^ *╹▀+/u;
const PLACEHOLDER = /^Ask anything(?:…|\.\.\.)/u;

/** Found from the cursor: sent messages and dialogs have such bars too, but no cursor. */
export function findOpencodeComposer(screen: Screen): OpencodeComposer | undefined {
  const { x, y, visible } = screen.cursor;
  if (!visible) return undefined;
  const bar = rowAt(screen, y).text.indexOf(BAR);
  if (bar === -1 || x < bar + MARGIN) return undefined;
  const hasBar = (row: number) => rowAt(screen, row).text.indexOf(BAR) === bar;
  let [top, bottom] = [y, y];
  while (hasBar(top - 1)) top -= 1;
  while (hasBar(bottom + 1)) bottom += 1;
  // At the bottom are a blank row and the agent; a blank row is at the top unless there is no room.
  if (!EDGE.test(rowAt(screen, bottom + 1).text) || isBlank(behind(rowAt(screen, bottom), bar)))
    return undefined;
  const last = bottom - 2;
  const first = top < y && isBlank(behind(rowAt(screen, top), bar)) ? top + 1 : top;
  if (y > last || first > y) return undefined;
  const rows = rowsBetween(screen, first, last).map((row) => behind(row, bar));
  return { first, last, bar, rows, footer: rowAt(screen, bottom + 2) };
}

/** After the first turn there is no placeholder: a draft of blanks, with the caret before them, looks empty. */
export function readOpencodeDraft(
  { first, last, bar, rows }: OpencodeComposer,
  screen: Screen,
): DraftReading {
  const { x, y } = screen.cursor;
  const margin = bar + MARGIN;
  const texts = rows.map(({ text }, at) => {
    const shown = text.trimEnd();
    return first + at === y ? paddedToCell(shown, x - margin) : shown;
  });
  const isAtStart = x === margin && y === first && first === last;
  const [only = ""] = texts;
  if (isAtStart && (only === "" || PLACEHOLDER.test(only))) return { kind: "empty" };
  const text = joinWrappedRows(texts, screen.columns - 2 * bar - MARGIN - RIGHT_EDGE);
  return { kind: "text", text, exact: false, lines: rows.length };
}

function behind(row: ScreenLine, bar: number): ScreenLine {
  return { ...row, text: row.text.slice(bar + MARGIN) };
}
