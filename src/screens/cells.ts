/** A screen as a terminal stores it: rows of cells, each with the SGR parameters of its style. */
import type { IBuffer, IBufferCell, IBufferLine } from "@xterm/headless";
import { type Run, type ScreenLine, type Style, sameStyle } from "../core/readiness/screen.ts";
import { PLAIN_STYLE } from "./ansi.ts";
import { characterWidth, hasCertainWidth } from "./character-width.ts";

export interface Cell {
  /** Never empty, except in the second half of a wide character. */
  readonly text: string;
  readonly width: 0 | 1 | 2;
  /** SGR parameters, relative to a plain pen: "", "1;31", "4:3;38;5;244". */
  readonly style: string;
}

/** One cell per column; a wide character is followed by its second half. */
export type Row = readonly Cell[];

export const BLANK: Cell = { text: " ", width: 1, style: "" };
export const SECOND_HALF: Cell = { text: "", width: 0, style: "" };

export function blankRow(columns: number): Row {
  return new Array<Cell>(columns).fill(BLANK);
}

export function sameCell(one: Cell, other: Cell): boolean {
  return one === other || (one.text === other.text && one.style === other.style && one.width === other.width);
}

/** A cell's style in a screen model. Not every model knows the kinds of underline. */
export interface ModelPen extends Omit<IBufferCell, "getWidth" | "getChars" | "getCode"> {
  getUnderlineStyle?(): number;
  getUnderlineColor?(): number;
  isUnderlineColorDefault?(): boolean;
  isUnderlineColorRGB?(): boolean;
}

/** The rows of the model's screen, starting at this one. */
export function screenRows(
  { cols, rows }: { readonly cols: number; readonly rows: number },
  buffer: IBuffer,
  first: number,
): readonly Row[] {
  const reused = buffer.getNullCell();
  return Array.from({ length: rows }, (_, y) => readRow(buffer.getLine(first + y), cols, reused));
}

/**
 * One cell per column, each with its own text. A resize can leave a model with half of a wide character, or with a
 * narrow one in two columns; such a row is repaired here, so that drawing need not handle it.
 */
export function readRow(row: IBufferLine | undefined, columns: number, reused: IBufferCell): Row {
  if (row === undefined) return blankRow(columns);
  const cells: Cell[] = [];
  while (cells.length < columns) {
    const x = cells.length;
    const cell = row.getCell(x, reused);
    const width = cell?.getWidth() ?? 1;
    const style = cell === undefined ? "" : penStyle(cell);
    const text = cell?.getChars() ?? "";
    const own = characterWidth(text.codePointAt(0) ?? 0x20);
    const isWide = own === 2 && (width === 2 || hasCertainWidth(base(text)));
    if (isWide && x + 1 < columns && isSecondHalf(row.getCell(x + 1, reused)))
      cells.push({ text, width: 2, style }, SECOND_HALF);
    else if (text === "" || !fits(text, own, width)) cells.push(style === "" ? BLANK : { ...BLANK, style });
    // A combining mark whose character was erased needs a base.
    else cells.push({ text: own === 0 ? ` ${text}` : text, width: 1, style });
  }
  return cells;
}

/** Whether it fits into one column. Text that a model counts as narrow may, unless every terminal draws it wide. */
function fits(text: string, own: 0 | 1 | 2, width: number): boolean {
  if (own === 1) return true;
  if (width !== 1) return false;
  return own === 0 || !hasCertainWidth(base(text));
}

function isSecondHalf(cell: IBufferCell | undefined): boolean {
  return cell?.getWidth() === 0 && cell.getChars() === "";
}

/** The character without its combining marks. */
function base(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0x20);
}

/** The same as runs. Reads only the character of most cells: in a host that was idle this code is not compiled. */
export function readLine(row: IBufferLine | undefined, columns: number, reused: IBufferCell): ScreenLine {
  const runs: Run[] = [];
  let style = PLAIN_STYLE;
  let text = "";
  for (let x = 0; x < columns; x += 1) {
    const cell = row?.getCell(x, reused);
    // The second half of a wide character has no width of its own.
    if (cell === undefined || cell.getWidth() === 0) continue;
    const next = cell.isAttributeDefault() ? PLAIN_STYLE : styleOf(cell);
    if (next !== style && !sameStyle(next, style)) {
      if (text !== "") runs.push({ text, ...style });
      style = next;
      text = "";
    }
    text += cell.getChars() || " ";
  }
  if (!style.inverse && style.background === "") text = text.trimEnd();
  if (text !== "") runs.push({ text, ...style });
  return { text: runs.map((run) => run.text).join(""), runs };
}

function styleOf(cell: IBufferCell): Style {
  return {
    dim: cell.isDim() !== 0,
    inverse: cell.isInverse() !== 0,
    bold: cell.isBold() !== 0,
    italic: cell.isItalic() !== 0,
    foreground: cell.isFgDefault() ? "" : colour(cell.isFgRGB(), cell.getFgColor(), 30),
    background: cell.isBgDefault() ? "" : colour(cell.isBgRGB(), cell.getBgColor(), 40),
  };
}

/** The SGR parameters of a cell, relative to a plain pen. */
export function penStyle(cell: ModelPen): string {
  if (cell.isAttributeDefault()) return "";
  const codes: string[] = [];
  if (cell.isBold()) codes.push("1");
  if (cell.isDim()) codes.push("2");
  if (cell.isItalic()) codes.push("3");
  if (cell.isUnderline()) codes.push(...underline(cell));
  if (cell.isBlink()) codes.push("5");
  if (cell.isInverse()) codes.push("7");
  if (cell.isInvisible()) codes.push("8");
  if (cell.isStrikethrough()) codes.push("9");
  if (cell.isOverline()) codes.push("53");
  if (!cell.isFgDefault()) codes.push(colour(cell.isFgRGB(), cell.getFgColor(), 30));
  if (!cell.isBgDefault()) codes.push(colour(cell.isBgRGB(), cell.getBgColor(), 40));
  return codes.join(";");
}

function underline(cell: ModelPen): readonly string[] {
  const shape = cell.getUnderlineStyle?.() ?? 1;
  const drawn = shape > 1 ? `4:${shape}` : "4";
  const value = cell.getUnderlineColor?.() ?? cell.getFgColor();
  const rgb = cell.isUnderlineColorRGB?.() ?? cell.isFgRGB();
  // Without a colour of its own, the model reports the text's colour, or white after SGR 59.
  const isOwn = (value !== cell.getFgColor() || rgb !== cell.isFgRGB()) && !(rgb && value === 0xffffff);
  if (cell.isUnderlineColorDefault?.() !== false || !isOwn) return [drawn];
  // With colons: a terminal that does not know them skips the sequence, while semicolons would set other styles.
  return [drawn, rgb ? `58:2::${channels(value).join(":")}` : `58:5:${value}`];
}

/** In SGR form: eight colours, eight bright ones, a palette, or red, green and blue. */
function colour(rgb: boolean, value: number, base: 30 | 40): string {
  if (rgb) return `${base + 8};2;${channels(value).join(";")}`;
  if (value < 8) return String(base + value);
  return value < 16 ? String(base + 60 + value - 8) : `${base + 8};5;${value}`;
}

function channels(value: number): readonly number[] {
  return [(value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff];
}
