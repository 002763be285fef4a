/**
 * A screen as a host sends it to the daemon: what is plain is only its text. Written out, a large one with a colour of its
 * own in each cell would be longer than a frame, and nobody could read it.
 */
import type { Run, Screen, ScreenLine, Style } from "../core/screen.ts";

/** Text; or text, marks (a sum of `MARKS`), foreground, background. */
type PackedRun = string | readonly [string, number, string, string];

/** The text of a line is that of its runs. */
export interface PackedScreen extends Omit<Screen, "lines"> {
  readonly lines: readonly (readonly PackedRun[])[];
}

const MARKS = { dim: 1, inverse: 2, bold: 4, italic: 8 } as const;

export function packScreen({ lines, ...rest }: Screen): PackedScreen {
  return { ...rest, lines: lines.map(({ runs }) => runs.map(packed)) };
}

function packed({ text, foreground, background, ...marks }: Run): PackedRun {
  const sum = marksOf(marks);
  return sum === 0 && foreground === "" && background === "" ? text : [text, sum, foreground, background];
}

function marksOf({ dim, inverse, bold, italic }: Omit<Style, "foreground" | "background">): number {
  return (
    (dim ? MARKS.dim : 0) +
    (inverse ? MARKS.inverse : 0) +
    (bold ? MARKS.bold : 0) +
    (italic ? MARKS.italic : 0)
  );
}

/** A host that has run since before screens were packed sends them as they are. */
export function unpackScreen({ lines, ...rest }: PackedScreen | Screen): Screen {
  return { ...rest, lines: lines.map((line) => ("runs" in line ? line : unpackedLine(line))) };
}

function unpackedLine(line: readonly PackedRun[]): ScreenLine {
  const runs = line.map(unpacked);
  return { text: runs.map(({ text }) => text).join(""), runs };
}

function unpacked(run: PackedRun): Run {
  const [text, marks, foreground, background] = typeof run === "string" ? [run, 0, "", ""] : run;
  return {
    text,
    dim: (marks & MARKS.dim) !== 0,
    inverse: (marks & MARKS.inverse) !== 0,
    bold: (marks & MARKS.bold) !== 0,
    italic: (marks & MARKS.italic) !== 0,
    foreground,
    background,
  };
}
