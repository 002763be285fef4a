import type { DraftReading } from "../../core/readiness/reading.ts";
import type { Screen, ScreenLine } from "../../core/readiness/screen.ts";
import { cellsOf, joinWrappedRows, paddedToCell } from "../../screens/cell-width.ts";
import { isBlank, rowAt, rowsBetween, runsAfter, textOf } from "../../screens/screen-rows.ts";

/** Gemini's input rows, on a ground of their own; the caret is an inverse cell, where the hidden cursor is parked. */
export interface GeminiComposer {
  readonly first: number;
  readonly last: number;
  readonly mark: string;
  readonly rows: readonly ScreenLine[];
}

/** The width of ground, mark and blank, or of the indent. */
const MARGIN = 3;
/** What it leaves free at the right. */
const RIGHT_EDGE = 6;
const PLACEHOLDER = "Type your message or @path/to/file";
/** `*` where everything is allowed, `!` where what is typed is run by a shell. */
const MARK = /^ ([>*!]) /u;

export function findGeminiComposer(screen: Screen): GeminiComposer | undefined {
  const { x, y, visible } = screen.cursor;
  if (visible || x < MARGIN || !hasCaret(rowAt(screen, y), x)) return undefined;
  const ground = groundOf(rowAt(screen, y));
  if (ground === "") return undefined;
  let first = y;
  while (first > 0 && groundOf(rowAt(screen, first - 1)) === ground) first -= 1;
  let last = y;
  while (groundOf(rowAt(screen, last + 1)) === ground) last += 1;
  // A row of nothing but the ground stands above and below in some releases.
  while (first < y && isBlank(rowAt(screen, first))) first += 1;
  while (last > y && isBlank(rowAt(screen, last))) last -= 1;
  const mark = MARK.exec(rowAt(screen, first).text)?.[1];
  if (mark === undefined) return undefined;
  const rows = rowsBetween(screen, first, last);
  if (!rows.slice(1).every((row) => isBlank(row) || row.text.startsWith(" ".repeat(MARGIN))))
    return undefined;
  return { first, last, mark, rows };
}

/** Empty only if the placeholder shows: a draft of blanks looks empty too. */
export function readGeminiDraft(
  { first, last, rows }: GeminiComposer,
  screen: Screen,
): DraftReading | undefined {
  const { x, y } = screen.cursor;
  const texts = rows.map((row, at) => {
    const shown = textOf(runsAfter(row, MARGIN)).trimEnd();
    return first + at === y ? paddedToCell(shown, x - MARGIN) : shown;
  });
  const isAtStart = x === MARGIN && y === first;
  if (isAtStart && first === last && texts[0]?.trim() === PLACEHOLDER) return { kind: "empty" };
  const text = joinWrappedRows(texts, screen.columns - MARGIN - RIGHT_EDGE);
  if (text.trim() === "" && isAtStart) return undefined;
  return { kind: "text", text, exact: false, lines: rows.length };
}

/** One inverse cell, at the cursor; where terminals disagree on the width of what is before it, anywhere. */
function hasCaret(row: ScreenLine, x: number): boolean {
  const [caret, ...others] = row.runs.filter((run) => run.inverse);
  if (caret === undefined || others.length > 0) return false;
  const before = cellsOf(textOf(row.runs.slice(0, row.runs.indexOf(caret))));
  return before === undefined || before === x;
}

/** The colour behind every cell of the row that has one; empty if they differ, or at its start there is none. */
function groundOf(row: ScreenLine): string {
  const grounds = new Set(row.runs.filter((run) => run.text !== "").map((run) => run.background));
  const [ground = ""] = grounds;
  return grounds.size === 1 ? ground : "";
}
