/** A copy of the program's screen and scrollback, kept from the same bytes that its host draws. */
import headless from "@xterm/headless";
import { type Row, screenRows } from "../../screens/cells.ts";
import { drawAlike, type Size, type Unlisted } from "../../screens/same-drawing.ts";
import type { TerminalModes } from "./terminal-modes.ts";

export interface ProgramCursor {
  readonly x: number;
  readonly y: number;
  readonly visible: boolean;
  /** DECSCUSR value; 0 is the terminal's default. */
  readonly shape: number;
}

export type Scroll = "line-up" | "line-down" | "page-up" | "page-down" | "top" | "bottom";

/** At least as much as any host keeps. */
const SCROLLBACK = 10_000;
/** Limit for the title; less of it is shown. */
const TITLE_LENGTH = 4 * 1024;
/** A screen model has at least two columns. */
const LEAST_COLS = 2;

export class Replica {
  readonly #terminal: InstanceType<typeof headless.Terminal>;
  readonly #onChange: () => void;
  readonly #unlisted: Readonly<Unlisted>;
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
    // Must draw like the host's model, or the two screens diverge.
    this.#unlisted = drawAlike(this.#terminal);
    this.#terminal.onBell(() => {
      this.#bells += 1;
    });
    this.#terminal.onTitleChange((title) => {
      this.#title = title.slice(0, TITLE_LENGTH);
    });
  }

  /** Ordered with `resize`: earlier output is drawn at the old size. */
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

  /** The program has announced that it is in the middle of drawing. */
  get isDrawing(): boolean {
    return this.#terminal.modes.synchronizedOutputMode;
  }

  /** The title it has set since we connected. */
  get title(): string | undefined {
    return this.#title;
  }

  /** How often it rang the bell since the last call. */
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
    const { cursorVisible, cursorShape } = this.#unlisted;
    return { x, y: cursorY, visible: cursorVisible, shape: cursorShape };
  }

  get modes(): TerminalModes {
    const { modes } = this.#terminal;
    return {
      bracketedPaste: modes.bracketedPasteMode,
      applicationCursor: modes.applicationCursorKeysMode,
      applicationKeypad: modes.applicationKeypadMode,
      focus: modes.sendFocusMode,
      mouse: modes.mouseTrackingMode,
      mouseEncoding: this.#unlisted.mouseEncoding,
    };
  }

  /** The rows in view: the program's screen, or scrollback. */
  rows(): readonly Row[] {
    const { active } = this.#terminal.buffer;
    return screenRows(this.#terminal, active, active.viewportY);
  }

  /** How many lines the view is scrolled back. */
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

  /** The rows of the program's screen as text, without trailing blank rows. */
  text(): readonly string[] {
    const { active } = this.#terminal.buffer;
    const lines = Array.from(
      { length: this.#terminal.rows },
      (_, y) => active.getLine(active.baseY + y)?.translateToString(true) ?? "",
    );
    while (lines.at(-1) === "") lines.pop();
    return lines;
  }

  dispose(): void {
    this.#terminal.dispose();
  }
}
