/** What a program has drawn: a terminal without a window. Bytes in, a screen out, and the way to draw it again. */
import serialise from "@xterm/addon-serialize";
import type { IBufferCell } from "@xterm/headless";
import headless from "@xterm/headless";
import {
  type Run,
  type Screen,
  type ScreenLine,
  type Style,
  sameStyle,
} from "../../../core/readiness/screen.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import { ansiLine } from "../../../screens/ansi.ts";
import { drawAlike } from "../../../screens/same-drawing.ts";
import { characterStart, wholeLength } from "../../../screens/whole-characters.ts";
import type { KeyModes } from "./key-bytes.ts";
import { picture } from "./picture.ts";

/** An answer, or a record, that holds them must not grow without end. */
const MOST_BYTES_ABOVE = 2 * 1024 * 1024;
/** Of the title. It is said to everybody whenever anything changes. */
const TITLE_CHARACTERS = 256;
/** Looked at for it: a program may send millions. */
const TITLE_LOOKED_AT = 4 * 1024;
/**
 * Drawn at a time. The terminal lets others have their turn between writes only, and a few bytes can order much work: a
 * whole read of them would keep a stop, a key and the program's end waiting.
 */
const PIECE_BYTES = 256;

export interface ModelSize {
  readonly cols: number;
  readonly rows: number;
}

export class ScreenModel {
  readonly #terminal: InstanceType<typeof headless.Terminal>;
  readonly #serialise = new serialise.SerializeAddon();
  #cursorVisible = true;
  #cursorShape = 0;
  #mouseEncoding = 0;
  #size: ModelSize;
  #title = "";
  #tellTitle: (title: string) => void = () => {};
  #unparsed = 0;
  #undrawnBytes = 0;
  #waiting: (() => void)[] = [];
  /** Of a character whose rest is still to come. */
  #begun: Uint8Array = new Uint8Array();
  /** As they were read last, until something is written: one delivery looks several times. */
  #lines: readonly ScreenLine[] | undefined;

  constructor({ cols, rows, scrollback }: ModelSize & { readonly scrollback: number }) {
    this.#terminal = new headless.Terminal({ cols, rows, scrollback, allowProposedApi: true });
    drawAlike(this.#terminal);
    this.#size = { cols, rows };
    this.#terminal.loadAddon(this.#serialise);
    this.#terminal.onTitleChange((title) => {
      const line = sanitiseLine(title.slice(0, TITLE_LOOKED_AT), TITLE_CHARACTERS);
      if (line === this.#title) return;
      this.#title = line;
      this.#tellTitle(line);
    });
    const { parser } = this.#terminal;
    parser.registerCsiHandler({ prefix: "?", final: "h" }, (parameters) => this.#mode(parameters, true));
    parser.registerCsiHandler({ prefix: "?", final: "l" }, (parameters) => this.#mode(parameters, false));
    parser.registerCsiHandler({ intermediates: " ", final: "q" }, ([shape]) => {
      this.#cursorShape = typeof shape === "number" && shape <= 6 ? shape : 0;
      return false;
    });
    parser.registerEscHandler({ final: "c" }, () => {
      this.#cursorVisible = true;
      this.#cursorShape = 0;
      this.#mouseEncoding = 0;
      return false;
    });
  }

  /** What the program asks of its terminal (size, colours, where the cursor is) and wants to read. */
  onAnswer(listener: (text: string) => void): void {
    this.#terminal.onData(listener);
  }

  write(bytes: Uint8Array): void {
    this.#lines = undefined;
    this.#unparsed += 1;
    this.#undrawnBytes += bytes.length;
    const given = this.#begun.length === 0 ? bytes : Buffer.concat([this.#begun, bytes]);
    const whole = given.subarray(0, wholeLength(given));
    this.#begun = new Uint8Array(given.subarray(whole.length));
    let at = 0;
    while (whole.length - at > PIECE_BYTES) {
      const next = characterStart(whole, at + PIECE_BYTES);
      this.#terminal.write(whole.subarray(at, next));
      at = next;
    }
    this.#terminal.write(whole.subarray(at), () => {
      this.#undrawnBytes -= bytes.length;
      this.#parsed();
    });
  }

  /** Written, and not on the screen yet. */
  get undrawnBytes(): number {
    return this.#undrawnBytes;
  }

  /** Everything that was written is on the screen. */
  async settled(): Promise<void> {
    if (this.#unparsed === 0) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  get isSettled(): boolean {
    return this.#unparsed === 0;
  }

  /** After what was written before: a viewer draws the same bytes at the same size. */
  resize({ cols, rows }: ModelSize): void {
    this.#size = { cols, rows };
    this.#lines = undefined;
    this.#unparsed += 1;
    this.#terminal.write("", () => {
      this.#terminal.resize(cols, rows);
      this.#parsed();
    });
  }

  /** As it will be when everything written is drawn. */
  get size(): ModelSize {
    return this.#size;
  }

  onTitle(listener: (title: string) => void): void {
    this.#tellTitle = listener;
  }

  get title(): string {
    return this.#title;
  }

  get modes(): KeyModes {
    const { bracketedPasteMode, applicationCursorKeysMode } = this.#terminal.modes;
    return { bracketedPaste: bracketedPasteMode, applicationCursor: applicationCursorKeysMode };
  }

  get cursor(): { readonly x: number; readonly y: number; readonly visible: boolean } {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    // Beyond the last column means: the next character wraps. tmux shows the last column then, and so do we.
    return { x: Math.min(cursorX, this.#terminal.cols - 1), y: cursorY, visible: this.#cursorVisible };
  }

  get alternate(): boolean {
    return this.#terminal.buffer.active.type === "alternate";
  }

  /** Everything a fresh terminal must be fed to look like this one, and to go on like it: scrollback, modes, cursor. */
  redraw(): string {
    return picture(this.#terminal, this.#serialise, {
      mouseEncoding: this.#mouseEncoding,
      cursorShape: this.#cursorShape,
      cursorVisible: this.#cursorVisible,
    });
  }

  screen(facts: Pick<Screen, "command" | "dead" | "mode">): Screen {
    const { cols, rows } = this.size;
    const lines = this.#lines ?? this.#readLines();
    // Half a write may be drawn already.
    if (this.isSettled) this.#lines = lines;
    return {
      columns: cols,
      rows,
      cursor: this.cursor,
      alternate: this.alternate,
      title: this.#title,
      inputOff: false,
      synchronised: false,
      ...facts,
      lines,
    };
  }

  /** What scrolled off the screen, the newest `most` lines of it, oldest first. */
  above(most: number): readonly string[] {
    const { active } = this.#terminal.buffer;
    const cell = active.getNullCell();
    const lines: string[] = [];
    let room = MOST_BYTES_ABOVE;
    for (let y = active.baseY - 1; y >= Math.max(0, active.baseY - most); y -= 1) {
      const row = active.getLine(y);
      const line = row === undefined ? "" : ansiLine(readLine(row, this.#terminal.cols, cell));
      room -= line.length;
      if (room < 0) break;
      lines.push(line);
    }
    return lines.reverse();
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  #readLines(): readonly ScreenLine[] {
    const { cols, rows } = this.size;
    const { active } = this.#terminal.buffer;
    const cell = active.getNullCell();
    return Array.from({ length: rows }, (_, row) => {
      const line = active.getLine(active.baseY + row);
      return line === undefined ? { text: "", runs: [] } : readLine(line, cols, cell);
    });
  }

  #parsed(): void {
    this.#unparsed -= 1;
    if (this.#unparsed > 0) return;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #mode(parameters: readonly (number | number[])[], on: boolean): boolean {
    if (parameters.includes(25)) this.#cursorVisible = on;
    for (const encoding of MOUSE_ENCODINGS) {
      if (!parameters.includes(encoding)) continue;
      if (on) this.#mouseEncoding = encoding;
      else if (this.#mouseEncoding === encoding) this.#mouseEncoding = 0;
    }
    return false;
  }
}

const MOUSE_ENCODINGS = [1005, 1006, 1015, 1016];

interface CellRow {
  getCell(x: number, cell?: IBufferCell): IBufferCell | undefined;
}

/** Of most cells only the character is asked: nothing here is compiled in a host that has rested. */
function readLine(row: CellRow, cols: number, reused: IBufferCell): ScreenLine {
  const runs: Run[] = [];
  let style = PLAIN;
  let text = "";
  for (let x = 0; x < cols; x += 1) {
    const cell = row.getCell(x, reused);
    // The second half of a wide character has no width of its own.
    if (cell === undefined || cell.getWidth() === 0) continue;
    const next = cell.isAttributeDefault() ? PLAIN : styleOf(cell);
    if (next !== style && !sameStyle(next, style)) {
      if (text !== "") runs.push({ text, ...style });
      style = next;
      text = "";
    }
    text += cell.getChars() || " ";
  }
  if (isPlain(style)) text = text.trimEnd();
  if (text !== "") runs.push({ text, ...style });
  return { text: runs.map((run) => run.text).join(""), runs };
}

const PLAIN: Style = {
  dim: false,
  inverse: false,
  bold: false,
  italic: false,
  foreground: "",
  background: "",
};

function styleOf(cell: IBufferCell): Style {
  return {
    dim: cell.isDim() !== 0,
    inverse: cell.isInverse() !== 0,
    bold: cell.isBold() !== 0,
    italic: cell.isItalic() !== 0,
    foreground: colour(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor(), 30, 38),
    background: colour(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor(), 40, 48),
  };
}

/** As SGR writes it: eight, eight bright, a palette, or red, green and blue. */
function colour(standard: boolean, rgb: boolean, value: number, base: number, extended: number): string {
  if (standard) return "";
  if (rgb) return `${extended};2;${(value >> 16) & 0xff};${(value >> 8) & 0xff};${value & 0xff}`;
  if (value < 8) return String(base + value);
  return value < 16 ? String(base + 60 + value - 8) : `${extended};5;${value}`;
}

function isPlain(style: Style): boolean {
  return !style.inverse && style.background === "";
}
