/** The program's screen as its host has it, kept here from the same bytes, with the scrollback. */
import type { IBufferCell } from "@xterm/headless";
import headless from "@xterm/headless";
import { type Row, readRow } from "../../screens/cells.ts";
import { drawAlike } from "../../screens/same-drawing.ts";
import { type MouseEncoding, PLAIN_MODES, type TerminalModes } from "./terminal-modes.ts";

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

export interface ProgramCursor {
  readonly x: number;
  readonly y: number;
  readonly visible: boolean;
  /** As DECSCUSR counts them; 0 is whatever the person's terminal has. */
  readonly shape: number;
}

export type Scroll = "line-up" | "line-down" | "page-up" | "page-down" | "top" | "bottom";

/** At least what any host keeps. */
const SCROLLBACK = 10_000;
/** Of the title; whoever shows it shows less. */
const TITLE_LENGTH = 4 * 1024;
const MOUSE_ENCODINGS: Readonly<Record<number, MouseEncoding>> = {
  1005: "utf8",
  1006: "sgr",
  1015: "urxvt",
  1016: "sgr-pixels",
};
/** A screen model has at least two columns. */
const LEAST_COLS = 2;

export class Replica {
  readonly #terminal: InstanceType<typeof headless.Terminal>;
  readonly #onChange: () => void;
  readonly #reused: IBufferCell;
  #cursorVisible = true;
  #cursorShape = 0;
  #encoding: MouseEncoding = "standard";
  #unparsedBytes = 0;
  #bells = 0;
  #title: string | undefined;

  constructor({ cols, rows }: Size, onChange: () => void) {
    this.#onChange = onChange;
    this.#terminal = new headless.Terminal({
      cols: Math.max(LEAST_COLS, cols),
      rows,
      scrollback: SCROLLBACK,
      allowProposedApi: true,
    });
    // As the host's does, or the two screens drift apart.
    drawAlike(this.#terminal);
    this.#reused = this.#terminal.buffer.active.getNullCell();
    this.#terminal.onBell(() => {
      this.#bells += 1;
    });
    this.#terminal.onTitleChange((title) => {
      this.#title = title.slice(0, TITLE_LENGTH);
    });
    const { parser } = this.#terminal;
    parser.registerCsiHandler({ prefix: "?", final: "h" }, (parameters) => this.#mode(parameters, true));
    parser.registerCsiHandler({ prefix: "?", final: "l" }, (parameters) => this.#mode(parameters, false));
    parser.registerCsiHandler({ intermediates: " ", final: "q" }, ([shape]) => {
      this.#cursorShape = typeof shape === "number" && shape <= 6 ? shape : 0;
      return false;
    });
    parser.registerEscHandler({ final: "c" }, () => this.#reset());
    parser.registerCsiHandler({ intermediates: "!", final: "p" }, () => {
      this.#cursorVisible = true;
      return false;
    });
  }

  /** In order with `resize`: what came before it is drawn at the old size. */
  write(bytes: Buffer): void {
    this.#unparsedBytes += bytes.length;
    this.#terminal.write(bytes, () => {
      this.#unparsedBytes -= bytes.length;
      this.#onChange();
    });
  }

  resize({ cols, rows }: Size): void {
    this.#terminal.write("", () => {
      this.#terminal.resize(Math.max(LEAST_COLS, cols), rows);
      this.#onChange();
    });
  }

  get unparsedBytes(): number {
    return this.#unparsedBytes;
  }

  /** The program is in the middle of drawing and says so. */
  get isDrawing(): boolean {
    return this.#terminal.modes.synchronizedOutputMode;
  }

  /** What it has called itself since we look. */
  get title(): string | undefined {
    return this.#title;
  }

  /** How often it rang since the last question. */
  takeBells(): number {
    const bells = this.#bells;
    this.#bells = 0;
    return bells;
  }

  get size(): Size {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows };
  }

  get cursor(): ProgramCursor {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    const x = Math.min(cursorX, this.#terminal.cols - 1);
    return { x, y: cursorY, visible: this.#cursorVisible, shape: this.#cursorShape };
  }

  get modes(): TerminalModes {
    const { modes } = this.#terminal;
    return {
      ...PLAIN_MODES,
      bracketedPaste: modes.bracketedPasteMode,
      applicationCursor: modes.applicationCursorKeysMode,
      applicationKeypad: modes.applicationKeypadMode,
      focus: modes.sendFocusMode,
      mouse: modes.mouseTrackingMode,
      mouseEncoding: this.#encoding,
    };
  }

  /** What is looked at: the program's screen, or what has scrolled off it. */
  rows(): readonly Row[] {
    const { active } = this.#terminal.buffer;
    const rows: Row[] = [];
    for (let y = 0; y < this.#terminal.rows; y += 1)
      rows.push(readRow(active.getLine(active.viewportY + y), this.#terminal.cols, this.#reused));
    return rows;
  }

  /** Lines between what is looked at and the program's screen. */
  get scrolledBack(): number {
    const { baseY, viewportY } = this.#terminal.buffer.active;
    return baseY - viewportY;
  }

  get scrollback(): number {
    return this.#terminal.buffer.active.baseY;
  }

  scroll(how: Scroll): void {
    const page = Math.max(1, this.#terminal.rows - 1);
    if (how === "line-up") this.#terminal.scrollLines(-1);
    else if (how === "line-down") this.#terminal.scrollLines(1);
    else if (how === "page-up") this.#terminal.scrollLines(-page);
    else if (how === "page-down") this.#terminal.scrollLines(page);
    else if (how === "top") this.#terminal.scrollToTop();
    else this.#terminal.scrollToBottom();
    this.#onChange();
  }

  /** The rows of the program's screen as text, without the blank ones at the end. */
  text(): readonly string[] {
    const { active } = this.#terminal.buffer;
    const lines: string[] = [];
    for (let y = 0; y < this.#terminal.rows; y += 1)
      lines.push(active.getLine(active.baseY + y)?.translateToString(true) ?? "");
    while (lines.at(-1) === "") lines.pop();
    return lines;
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  #mode(parameters: readonly (number | number[])[], on: boolean): boolean {
    for (const parameter of parameters) {
      if (parameter === 25) this.#cursorVisible = on;
      const encoding = typeof parameter === "number" ? MOUSE_ENCODINGS[parameter] : undefined;
      if (encoding === undefined) continue;
      if (on) this.#encoding = encoding;
      else if (this.#encoding === encoding) this.#encoding = "standard";
    }
    return false;
  }

  #reset(): boolean {
    this.#cursorVisible = true;
    this.#cursorShape = 0;
    this.#encoding = "standard";
    return false;
  }
}
