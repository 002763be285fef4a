/** Aligned columns for people. Cells are sanitised here, so that no caller can forget to. */
import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { Output } from "./output.ts";

/** By title, from left to right. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>;

const GAP = "  ";
const NARROWEST_LAST_COLUMN = 12;
/** Length of a message's preview in a list. */
export const PREVIEW_CHARACTERS = 80;

/** The rows as JSON or as a table, or `empty` if there are none. */
export function printList<Row>(
  out: Output,
  rows: readonly Row[],
  empty: string,
  columns: Columns<Row>,
  below?: (row: Row) => string,
): void {
  if (out.json) out.value(rows);
  else if (rows.length === 0) out.line(empty);
  else printTable(out, rows, columns, below);
}

/** `below` is text too long for a cell: a separate line under the row, never cut. */
export function printTable<Row>(
  out: Output,
  rows: readonly Row[],
  columns: Columns<Row>,
  below: (row: Row) => string = () => "",
): void {
  const titles = Object.keys(columns);
  const lines = rows.map((row) => ({
    cells: Object.values(columns).map((cell) => sanitiseLine(cell(row))),
    under: sanitiseLine(below(row)),
  }));
  const widths = titles.map((title, index) =>
    Math.max(displayWidth(title), ...lines.map(({ cells }) => displayWidth(cells[index] ?? ""))),
  );
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0);
  const room =
    out.columns === 0 ? Number.POSITIVE_INFINITY : Math.max(NARROWEST_LAST_COLUMN, out.columns - before);
  const lay = (line: readonly string[]) =>
    line
      .map((cell, index) => (index === line.length - 1 ? cut(cell, room) : pad(cell, widths[index] ?? 0)))
      .join(GAP)
      .trimEnd();
  out.line(out.paint("dim", lay(titles)));
  for (const { cells, under } of lines) {
    out.line(lay(cells));
    if (under !== "") out.line(`${GAP}${under}`);
  }
}

/** Name and value, one pair per line; undefined values are omitted. */
export function printPairs(out: Output, pairs: readonly (readonly [string, string | undefined])[]): void {
  const known = pairs.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  const width = Math.max(...known.map(({ name }) => displayWidth(name)));
  for (const { name, value } of known)
    out.line(`${out.paint("dim", pad(name, width))}${GAP}${sanitiseLine(value)}`);
}

export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of GRAPHEMES.segment(text)) {
    used += displayWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** Terminal cells, accurate enough for columns. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text))
    width += WIDE.test(segment) || segment.includes("\ufe0f") ? 2 : 1;
  return width;
}
