/** What a terminal must be sent to go from one screen to another. Pure. */
import { BLANK, type Cell, type Row, sameCell } from "./cells.ts";
import { hasCertainWidth } from "./character-width.ts";

const PLAIN = "\x1b[0m";
const ERASE_TO_END = "\x1b[K";
/** Up to this many unchanged cells are cheaper to redraw than to skip. */
const SMALL_GAP = 6;

/**
 * Goes from `before`, which the terminal shows, to `after`. A row missing from `before` may show anything. The
 * terminal must not wrap by itself; its pen is plain before and after, its cursor may be anywhere.
 */
export function drawRows(before: readonly Row[], after: readonly Row[]): string {
  const pen = new Pen();
  after.forEach((row, y) => {
    const shown = before[y];
    if (row !== shown) drawRow(pen, y, shown?.length === row.length ? shown : undefined, row);
  });
  return pen.finish();
}

function drawRow(pen: Pen, y: number, before: Row | undefined, after: Row): void {
  const changed = changes(before, after);
  const tail = blankTail(after);
  let start = changed.indexOf(true);
  while (start !== -1 && start < tail) {
    let end = start + 1;
    for (let x = end; x < tail && x <= end + SMALL_GAP; x += 1) if (changed[x]) end = x + 1;
    pen.write(y, start, after.slice(start, end));
    start = changed.indexOf(true, end);
  }
  if (start !== -1) pen.erase(y, start);
}

/** Which columns to write: wide characters as a whole, and any column into which a character may spill. */
function changes(before: Row | undefined, after: Row): boolean[] {
  const changed = after.map((cell, x) => before?.[x] === undefined || !sameCell(before[x], cell));
  for (let x = 0; x < after.length; x += 1) {
    const cell = after[x] ?? BLANK;
    if (!changed[x]) continue;
    if (cell.width === 0 && x > 0) changed[x - 1] = true;
    const spills = !hasCertainWidth(cell.text) || !hasCertainWidth(before?.[x]?.text ?? " ");
    if (spills) {
      if (x + 1 < after.length) changed[x + 1] = true;
      if (cell.width === 2 && x + 2 < after.length) changed[x + 2] = true;
    }
  }
  return changed;
}

/** The column from which the row is blank. */
function blankTail(row: Row): number {
  let tail = row.length;
  while (tail > 0 && sameCell(row[tail - 1] ?? BLANK, BLANK)) tail -= 1;
  return tail;
}

class Pen {
  #out = "";
  #style = "";

  write(y: number, x: number, cells: readonly Cell[]): void {
    this.#out += moveTo(y, x);
    let at = x;
    for (const [index, cell] of cells.entries()) {
      if (cell.width === 0) continue;
      this.#take(cell.style);
      const next = at + cell.width;
      const isLast = index + cell.width >= cells.length;
      if (hasCertainWidth(cell.text)) this.#out += cell.text;
      else {
        // Terminals disagree about its width: its columns are cleared first, and the cursor is placed explicitly.
        if (cell.width === 2) this.#out += `  ${column(at)}`;
        this.#out += cell.text + (isLast ? "" : column(next));
      }
      at = next;
    }
  }

  erase(y: number, x: number): void {
    this.#take("");
    this.#out += moveTo(y, x) + ERASE_TO_END;
  }

  finish(): string {
    this.#take("");
    return this.#out;
  }

  #take(style: string): void {
    if (style === this.#style) return;
    this.#style = style;
    this.#out += style === "" ? PLAIN : `\x1b[0;${style}m`;
  }
}

function moveTo(y: number, x: number): string {
  return `\x1b[${y + 1};${x + 1}H`;
}

function column(x: number): string {
  return `\x1b[${x + 1}G`;
}
