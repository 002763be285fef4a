import type { DraftReading } from "../../core/readiness/reading.ts";
import type { Screen, ScreenLine } from "../../core/readiness/screen.ts";
import { joinWrappedRows, paddedToCell } from "../../screens/cell-width.ts";
import { isBlank, isGhost, rowAt, rowsBetween, runsAfter, textOf } from "../../screens/screen-rows.ts";

/** Codex's input rows: the first with `› `, then a blank row, then the footer; the visible cursor is among them. */
export interface CodexComposer {
  readonly first: number;
  readonly last: number;
  readonly rows: readonly ScreenLine[];
  readonly footer: readonly ScreenLine[];
}

/** The width of mark or indent. */
const MARGIN = 2;
const MOST_FOOTER_ROWS = 4;

/**
 * Found from the bottom: footer, one blank row, input rows. Sent messages have the same mark, but dim; a picker also
 * has one, but then the program hides its cursor.
 */
export function findCodexComposer(screen: Screen): CodexComposer | undefined {
  const { x, y, visible } = screen.cursor;
  if (!visible || x < MARGIN) return undefined;
  const footerEnds = lastShownRow(screen);
  let footerStarts = footerEnds;
  while (footerStarts > 0 && !isBlank(rowAt(screen, footerStarts - 1))) footerStarts -= 1;
  const footer = rowsBetween(screen, footerStarts, footerEnds);
  // The blank row is above the footer, and the last input row above that.
  const last = footerStarts - 2;
  if (footer.length > MOST_FOOTER_ROWS || last < 0 || y > last) return undefined;
  if (!footer.every((row) => row.text.startsWith("  "))) return undefined;
  const first = firstInputRow(screen, y);
  if (first === undefined) return undefined;
  const rows = rowsBetween(screen, first, last);
  if (!rows.slice(1).every((row) => isBlank(row) || row.text.startsWith("  "))) return undefined;
  return { first, last, rows, footer };
}

/**
 * Empty only if the placeholder shows: Codex always draws one, and a draft of blanks with the caret at its start looks
 * empty too.
 */
export function readCodexDraft(composer: CodexComposer, screen: Screen): DraftReading | undefined {
  const rows = composer.rows.map((row) => runsAfter(row, MARGIN));
  const atStart = screen.cursor.x === MARGIN && screen.cursor.y === composer.first;
  if (atStart && composer.first === composer.last && isPlaceholder(composer)) return { kind: "empty" };
  const texts = rows.map((runs, at) => {
    // An arrow at the right edge means that there is more text above or below.
    const shown = textOf(runs)
      .replace(/\s{2,}[↑↓]$/u, "")
      .trimEnd();
    return composer.first + at === screen.cursor.y ? paddedToCell(shown, screen.cursor.x - MARGIN) : shown;
  });
  const text = joinWrappedRows(texts, screen.columns - MARGIN - 1);
  if (text.trim() === "" && atStart) return undefined;
  return { kind: "text", text, exact: false, lines: composer.rows.length };
}

function isPlaceholder(composer: CodexComposer): boolean {
  const runs = runsAfter(composer.rows[0] ?? { text: "", runs: [] }, MARGIN);
  return isGhost([runs]) && runs.every((run) => run.dim || run.text.trim() === "");
}

function lastShownRow(screen: Screen): number {
  for (let y = screen.rows - 1; y > 0; y -= 1) if (!isBlank(rowAt(screen, y))) return y;
  return 0;
}

/** In the composer only the mark is bold; a sent message has it dim, a picker draws its whole row in one style. */
function hasInputMark(row: ScreenLine): boolean {
  const mark = row.runs[0];
  return mark !== undefined && mark.text.trimEnd() === "›" && mark.bold && !mark.dim && !mark.inverse;
}

/** Searches upwards from the cursor, through indented rows, to the mark. */
function firstInputRow(screen: Screen, from: number): number | undefined {
  for (let y = from; y >= 0; y -= 1) {
    const row = rowAt(screen, y);
    if (/^›(?: |$)/u.test(row.text)) return hasInputMark(row) ? y : undefined;
    if (!isBlank(row) && !row.text.startsWith("  ")) return undefined;
  }
  return undefined;
}
