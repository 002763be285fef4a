import type { Run, Screen, ScreenLine } from "../core/readiness/screen.ts";

const NO_LINE: ScreenLine = { text: "", runs: [] };

export function rowAt(screen: Screen, y: number): ScreenLine {
  return screen.lines[y] ?? NO_LINE;
}

export function rowsBetween(screen: Screen, first: number, last: number): readonly ScreenLine[] {
  const rows: ScreenLine[] = [];
  for (let y = Math.max(0, first); y <= last; y += 1) rows.push(rowAt(screen, y));
  return rows;
}

export function textOf(runs: readonly Run[]): string {
  return runs.map((run) => run.text).join("");
}

export function isBlank(row: ScreenLine): boolean {
  return row.text.trim() === "";
}

/** The nearest non-blank rows above this one, top to bottom; blank rows between them are skipped. */
export function rowsAbove(screen: Screen, y: number, count: number): readonly ScreenLine[] {
  return rowsBetween(screen, 0, y - 1)
    .filter((row) => !isBlank(row))
    .slice(-count);
}

/** The runs of a row without its first characters. */
export function runsAfter(row: ScreenLine, characters: number): readonly Run[] {
  const runs: Run[] = [];
  let skip = characters;
  for (const run of row.runs) {
    const text = run.text.slice(skip);
    skip = Math.max(0, skip - run.text.length);
    if (text !== "") runs.push({ ...run, text });
  }
  return runs;
}

/** The last non-blank rows, top to bottom. */
export function lastRows(screen: Screen, count: number): readonly ScreenLine[] {
  return screen.lines.filter((row) => !isBlank(row)).slice(-count);
}

/**
 * Placeholder or suggestion: every visible character is dim, except perhaps the first, which the caret may cover.
 * A single covered character proves nothing: it may be a draft with the caret on it.
 */
export function isGhost(rows: readonly (readonly Run[])[]): boolean {
  const visible = rows.flatMap((runs) =>
    runs.flatMap((run) => [...run.text].filter((character) => character.trim() !== "").map(() => run)),
  );
  const [first, ...others] = visible;
  if (first === undefined || !(first.dim || first.inverse)) return false;
  if (!first.dim && others.length === 0) return false;
  return others.every((run) => run.dim);
}
