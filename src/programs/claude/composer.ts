import type { DraftReading } from "../../core/readiness/reading.ts";
import type { Run, Screen, ScreenLine } from "../../core/readiness/screen.ts";
import { cellsOf, joinWrappedRows, paddedToCell } from "../../screens/cell-width.ts";
import { isBlank, isGhost, rowAt, rowsBetween, runsAfter, textOf } from "../../screens/screen-rows.ts";

/** Claude's input box: rows between two rules, the first with a mark and a no-break space, the cursor inside. */
export interface ClaudeComposer {
  readonly topRule: number;
  readonly bottomRule: number;
  readonly rows: readonly ScreenLine[];
  /** `❯`, or `!` in shell mode, where the mark itself is what the person typed. */
  readonly mark: string;
  readonly footer: readonly ScreenLine[];
}

/** The width of mark or indent. */
const MARGIN = 2;
const MOST_FOOTER_ROWS = 12;

/**
 * Only the box that holds the cursor counts. A dialog's pointer is `❯` and an ordinary space, and a model's answer is
 * indented, so neither can be mistaken for it. The cursor is at the caret although the program hides it.
 */
export function findClaudeComposer(screen: Screen): ClaudeComposer | undefined {
  const { x, y, visible } = screen.cursor;
  if (visible || x < MARGIN || x >= screen.columns) return undefined;
  const topRule = findRow(screen, y - 1, -1, (row) => isTopRule(row.text, screen.columns));
  const bottomRule = findRow(screen, y + 1, 1, (row) => isRule(row.text, screen.columns));
  if (topRule === undefined || bottomRule === undefined) return undefined;
  const rows = rowsBetween(screen, topRule + 1, bottomRule - 1);
  const mark = /^(\S)\u00a0/u.exec(rows[0]?.text ?? "")?.[1];
  if (mark === undefined || !rows.slice(1).every(isIndented)) return undefined;
  const footer = rowsBetween(screen, bottomRule + 1, screen.rows - 1);
  if (footer.filter((row) => !isBlank(row)).length > MOST_FOOTER_ROWS || !footer.every(isIndented))
    return undefined;
  return { topRule, bottomRule, rows, mark, footer };
}

export function readClaudeDraft(composer: ClaudeComposer, screen: Screen): DraftReading {
  const rows = composer.rows.map((row) => runsAfter(row, MARGIN));
  const atStart = screen.cursor.x === MARGIN && screen.cursor.y === composer.topRule + 1;
  if (composer.mark === "❯" && atStart && (isNothing(rows) || isSuggestion(rows))) return { kind: "empty" };
  const caretRow = screen.cursor.y - composer.topRule - 1;
  const texts = rows.map((runs, at) =>
    at === caretRow ? paddedToCell(typedText(runs), screen.cursor.x - MARGIN) : typedText(runs),
  );
  const joined = joinWrappedRows(texts, screen.columns - MARGIN - 1);
  return {
    kind: "text",
    text: composer.mark === "❯" ? joined : composer.mark + joined,
    exact: false,
    lines: composer.rows.length,
  };
}

function findRow(
  screen: Screen,
  from: number,
  step: 1 | -1,
  matches: (row: ScreenLine) => boolean,
): number | undefined {
  for (let y = from; y >= 0 && y < screen.rows; y += step) if (matches(rowAt(screen, y))) return y;
  return undefined;
}

function isRule(text: string, columns: number): boolean {
  return text.length === columns && /^─+$/u.test(text);
}

/** The upper rule may contain the session's name near its end. */
function isTopRule(text: string, columns: number): boolean {
  if (isRule(text, columns)) return true;
  return /^─{2,} [^─]+ ─+$/u.test(text) && (cellsOf(text) ?? columns) === columns;
}

function isIndented(row: ScreenLine): boolean {
  return isBlank(row) || row.text.startsWith("  ");
}

function isNothing(rows: readonly (readonly Run[])[]): boolean {
  return rows.length === 1 && textOf(rows[0] ?? []).trim() === "";
}

/** A half-typed command or mention also shows a dim completion; no suggestion starts with one of these signs. */
function isSuggestion(rows: readonly (readonly Run[])[]): boolean {
  return isGhost(rows) && /^[^\s/!@#]/u.test(textOf(rows[0] ?? []));
}

/** Dim runs are a completion appended to the text; if there is nothing else, they must be the text itself. */
function typedText(runs: readonly Run[]): string {
  const typed = textOf(runs.filter((run) => !run.dim)).trimEnd();
  return typed === "" ? textOf(runs).trimEnd() : typed;
}
