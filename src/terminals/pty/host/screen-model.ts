/** A headless terminal: a program's output goes in, its screen comes out, and the bytes that redraw it. */
import serialise from "@xterm/addon-serialize";
import headless from "@xterm/headless";
import type { Screen, ScreenLine } from "../../../core/readiness/screen.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import { ansiLine } from "../../../screens/ansi.ts";
import { readLine } from "../../../screens/cells.ts";
import { redrawing } from "../../../screens/redrawing.ts";
import { drawAlike, type Size, type Unlisted } from "../../../screens/same-drawing.ts";
import { UnfinishedSequence } from "../../../screens/unfinished-sequence.ts";
import { characterStart, wholeLength } from "../../../screens/whole-characters.ts";
import type { KeyModes } from "./key-bytes.ts";

/** Bounds the answers and records that hold these lines. */
const MOST_BYTES_ABOVE = 2 * 1024 * 1024;
/** Limit for the title, which is sent to every client whenever anything changes. */
const TITLE_CHARACTERS = 256;
/** How much of a title is examined: a program may send millions of characters. */
const TITLE_LOOKED_AT = 4 * 1024;
/**
 * How much is drawn at a time. The terminal yields only between writes, and a few bytes can cause much work: drawing a
 * whole read at once would delay stop requests, keys and the program's end.
 */
const PIECE_BYTES = 256;

export class ScreenModel {
  readonly #terminal: InstanceType<typeof headless.Terminal>;
  readonly #serialise = new serialise.SerializeAddon();
  readonly #unlisted: Readonly<Unlisted>;
  #size: Size;
  #title = "";
  #tellTitle: (title: string) => void = () => {};
  #unparsed = 0;
  #undrawnBytes = 0;
  #waiting: (() => void)[] = [];
  /** The first bytes of a character whose rest has not arrived. */
  #begun: Uint8Array = new Uint8Array();
  readonly #unfinished = new UnfinishedSequence();
  /** Cached until something is written: one delivery reads the screen several times. */
  #lines: readonly ScreenLine[] | undefined;

  constructor({ cols, rows, scrollback }: Size & { readonly scrollback: number }) {
    this.#terminal = new headless.Terminal({ cols, rows, scrollback, allowProposedApi: true });
    this.#unlisted = drawAlike(this.#terminal);
    this.#size = { cols, rows };
    this.#terminal.loadAddon(this.#serialise);
    this.#terminal.onTitleChange((title) => {
      const line = sanitiseLine(title.slice(0, TITLE_LOOKED_AT), TITLE_CHARACTERS);
      if (line === this.#title) return;
      this.#title = line;
      this.#tellTitle(line);
    });
  }

  /** Replies to what the program asks its terminal: size, colours, cursor position. */
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
    this.#unfinished.push(whole);
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

  /** Written but not yet on the screen. */
  get undrawnBytes(): number {
    return this.#undrawnBytes;
  }

  /** Resolves when everything that was written is on the screen. */
  async drawn(): Promise<void> {
    if (this.#unparsed === 0) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  get isDrawn(): boolean {
    return this.#unparsed === 0;
  }

  /** Takes effect after everything written before: a viewer draws the same bytes at the same size. */
  resize({ cols, rows }: Size): void {
    this.#size = { cols, rows };
    this.#lines = undefined;
    this.#unparsed += 1;
    this.#terminal.write("", () => {
      this.#terminal.resize(cols, rows);
      this.#parsed();
    });
  }

  /** The size once everything written is drawn. */
  get size(): Size {
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
    // Beyond the last column, the next character wraps. tmux reports the last column then, and so do we.
    return {
      x: Math.min(cursorX, this.#terminal.cols - 1),
      y: cursorY,
      visible: this.#unlisted.cursorVisible,
    };
  }

  get alternate(): boolean {
    return this.#terminal.buffer.active.type === "alternate";
  }

  /**
   * What a fresh terminal must be sent to look and continue like this one: scrollback, modes, cursor, and a sequence that
   * is not finished. Everything written must be drawn.
   */
  redraw(): string {
    return redrawing(this.#terminal, this.#serialise, this.#unlisted) + this.#unfinished.text;
  }

  screen(facts: Pick<Screen, "command" | "dead" | "mode">): Screen {
    const { cols, rows } = this.size;
    const lines = this.#lines ?? this.#readLines();
    // A write may be only partly drawn.
    if (this.isDrawn) this.#lines = lines;
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

  /** The newest `most` lines that scrolled off the screen, oldest first. */
  above(most: number): readonly string[] {
    const { active } = this.#terminal.buffer;
    const cell = active.getNullCell();
    const lines: string[] = [];
    let room = MOST_BYTES_ABOVE;
    for (let y = active.baseY - 1; y >= Math.max(0, active.baseY - most); y -= 1) {
      const line = ansiLine(readLine(active.getLine(y), this.#terminal.cols, cell));
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
    return Array.from({ length: rows }, (_, row) => readLine(active.getLine(active.baseY + row), cols, cell));
  }

  #parsed(): void {
    this.#unparsed -= 1;
    if (this.#unparsed > 0) return;
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
