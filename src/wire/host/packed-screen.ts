/**
 * The compact form in which a host sends a screen, on request: plain text is a bare string. Written out in full, a
 * large screen with a different colour in each cell would exceed a frame and could not be read.
 */
import type { Run, Screen, ScreenLine, Style } from "../../core/readiness/screen.ts";
import { SIZE_LIMITS } from "./size-limits.ts";

/** A text; or text, marks (a sum of `MARKS`), foreground, background. */
type PackedRun = string | readonly [string, number, string, string];

/** A line's text is the text of its runs. */
export interface PackedScreen extends Omit<Screen, "lines"> {
  readonly lines: readonly (readonly PackedRun[])[];
}

/** A few packed bytes can expand a hundredfold, so anything larger than a possible screen is not unpacked. */
export const SCREEN_LIMITS = { lines: SIZE_LIMITS.rows, runsPerLine: SIZE_LIMITS.cols } as const;

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

export type UnpackedScreen =
  | { readonly kind: "screen"; readonly screen: Screen }
  | { readonly kind: "unreadable"; readonly cause: string };

/** A host's data is not trusted: a host that is broken or of another version must harm only itself. */
export function unpackScreen(sent: unknown): UnpackedScreen {
  if (!isObject(sent)) return { kind: "unreadable", cause: "its host sent no screen" };
  const odd = Object.entries(FACTS).find(([fact, isSound]) => !isSound(sent[fact]))?.[0];
  if (odd !== undefined) return unreadable(`has an invalid "${odd}"`);
  const { lines, ...facts } = sent;
  if (!Array.isArray(lines)) return unreadable("has no lines");
  if (lines.length > SCREEN_LIMITS.lines) return unreadable(`has more than ${SCREEN_LIMITS.lines} lines`);
  const unpackedLines: ScreenLine[] = [];
  for (const line of lines as readonly unknown[]) {
    const unpacked = unpackedLine(line);
    if (unpacked === undefined)
      return unreadable(`has a line ${unpackedLines.length + 1} that no screen can have`);
    unpackedLines.push(unpacked);
  }
  return { kind: "screen", screen: { ...(facts as unknown as Omit<Screen, "lines">), lines: unpackedLines } };
}

function unreadable(what: string): UnpackedScreen {
  return { kind: "unreadable", cause: `the screen that its host sent ${what}` };
}

const isText = (value: unknown): value is string => typeof value === "string";
const isFlag = (value: unknown): value is boolean => typeof value === "boolean";
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

const FACTS: Readonly<Record<Exclude<keyof Screen, "lines">, (value: unknown) => boolean>> = {
  columns: isCount,
  rows: isCount,
  cursor: (value) => isObject(value) && isCount(value.x) && isCount(value.y) && isFlag(value.visible),
  alternate: isFlag,
  title: isText,
  command: isText,
  mode: isText,
  dead: isFlag,
  inputOff: isFlag,
  synchronised: isFlag,
};

/** A host older than the packed form sends lines as they are. */
function unpackedLine(line: unknown): ScreenLine | undefined {
  if (isObject(line)) return isWholeLine(line) ? line : undefined;
  if (!isRow(line)) return undefined;
  const runs: Run[] = [];
  for (const sent of line) {
    const run = unpacked(sent);
    if (run === undefined) return undefined;
    runs.push(run);
  }
  return { text: runs.map(({ text }) => text).join(""), runs };
}

function isWholeLine(line: object): line is ScreenLine {
  const { text, runs } = line as Record<keyof ScreenLine, unknown>;
  return isText(text) && isRow(runs) && runs.every(isWholeRun);
}

function isRow(runs: unknown): runs is readonly unknown[] {
  return Array.isArray(runs) && runs.length <= SCREEN_LIMITS.runsPerLine;
}

function isWholeRun(run: unknown): run is Run {
  if (!isObject(run)) return false;
  const { text, foreground, background, dim, inverse, bold, italic } = run;
  return [text, foreground, background].every(isText) && [dim, inverse, bold, italic].every(isFlag);
}

function unpacked(run: unknown): Run | undefined {
  const [text, marks, foreground, background]: readonly unknown[] = isText(run)
    ? [run, 0, "", ""]
    : Array.isArray(run)
      ? run
      : [];
  if (!isText(text) || !isCount(marks) || !isText(foreground) || !isText(background)) return undefined;
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
