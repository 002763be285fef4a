/** A screen as a terminal holds it: rows of cells, each with what SGR must say for it. */
import { characterWidth, hasCertainWidth } from "./character-width.ts";

export interface Cell {
  /** Never empty, but for the second half of a wide one. */
  readonly text: string;
  readonly width: 0 | 1 | 2;
  /** Parameters of SGR, from a plain pen: "", "1;31", "4:3;38;5;244". */
  readonly style: string;
}

/** One cell per column; a wide one is followed by its second half. */
export type Row = readonly Cell[];

export const BLANK: Cell = { text: " ", width: 1, style: "" };
export const SECOND_HALF: Cell = { text: "", width: 0, style: "" };

export function blankRow(columns: number): Row {
  return new Array<Cell>(columns).fill(BLANK);
}

export function sameCell(one: Cell, other: Cell): boolean {
  return one === other || (one.text === other.text && one.style === other.style && one.width === other.width);
}

/** How a screen model draws. The kinds of underline are not in every model. */
export interface ModelPen {
  isAttributeDefault(): boolean;
  isBold(): number;
  isDim(): number;
  isItalic(): number;
  isUnderline(): number;
  isBlink(): number;
  isInverse(): number;
  isInvisible(): number;
  isStrikethrough(): number;
  isOverline(): number;
  isFgDefault(): boolean;
  isFgRGB(): boolean;
  getFgColor(): number;
  isBgDefault(): boolean;
  isBgRGB(): boolean;
  getBgColor(): number;
  getUnderlineStyle?(): number;
  getUnderlineColor?(): number;
  isUnderlineColorDefault?(): boolean;
  isUnderlineColorRGB?(): boolean;
}

/** What it knows of one place. */
export interface ModelCell extends ModelPen {
  getWidth(): number;
  getChars(): string;
}

export interface ModelRow<C extends ModelCell> {
  getCell(x: number, reused?: C): C | undefined;
}

/**
 * One cell per column, each with its own text. A resize can leave a model with a wide character that has lost a half, or
 * a narrow one in two columns: such a row is made whole, so that whoever draws it need not know.
 */
export function readRow<C extends ModelCell>(row: ModelRow<C> | undefined, columns: number, reused: C): Row {
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
    // A mark whose character was erased needs something to stand on.
    else cells.push({ text: own === 0 ? ` ${text}` : text, width: 1, style });
  }
  return cells;
}

/** Into one column; what a model takes for narrow may be drawn there, unless every terminal thinks it wide. */
function fits(text: string, own: 0 | 1 | 2, width: number): boolean {
  if (own === 1) return true;
  if (width !== 1) return false;
  return own === 0 || !hasCertainWidth(base(text));
}

function isSecondHalf(cell: ModelCell | undefined): boolean {
  return cell?.getWidth() === 0 && cell.getChars() === "";
}

/** Without its marks. */
function base(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0x20);
}

/** What SGR must say, from a plain pen. */
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
  // Where there is none of its own, the model gives the colour of the text, or white after SGR 59.
  const isOwn = (value !== cell.getFgColor() || rgb !== cell.isFgRGB()) && !(rgb && value === 0xffffff);
  if (cell.isUnderlineColorDefault?.() !== false || !isOwn) return [drawn];
  // With colons: a terminal that does not know them skips the whole, where semicolons would be other styles.
  return [drawn, rgb ? `58:2::${channels(value).join(":")}` : `58:5:${value}`];
}

/** As SGR writes it: eight, eight bright, a palette, or red, green and blue. */
function colour(rgb: boolean, value: number, base: 30 | 40): string {
  if (rgb) return `${base + 8};2;${channels(value).join(";")}`;
  if (value < 8) return String(base + value);
  return value < 16 ? String(base + 60 + value - 8) : `${base + 8};5;${value}`;
}

function channels(value: number): readonly number[] {
  return [(value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff];
}
