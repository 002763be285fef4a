/** A copy of the program's screen, in the page. It looks the same, has the same size, and says nothing by itself. */
import { Terminal } from "@xterm/xterm";
import { drawAlike } from "../../../src/screens/same-drawing.ts";
import { type Extent, fontSizeFor, linesMoved, scrolledTo } from "./fitting.ts";
import { givesBack, mayPaste } from "./keys.ts";
import type { Picture } from "./open-screen.ts";
import { silence } from "./silence.ts";
import { adoptStyles } from "./style-sheets.ts";
import "@xterm/xterm/css/xterm.css";

const SCROLLBACK = 10_000;
/** What is not drawn yet. Whoever is further behind gets the newest picture instead. */
const MOST_UNDRAWN = 4_000_000;
/** In pixels, for the edges of what is around it. */
const BELOW = 30;

const THEME = {
  background: "#121214",
  foreground: "#e6e6e8",
  cursor: "#e5b454",
  selectionBackground: "#4a4a55",
} as const;

export interface ReplicaParts {
  readonly element: HTMLElement;
  press(keys: string): void;
  giveBack(): void;
  /** Several lines, to a program that may not notice that they belong together. */
  pasteRefused(): void;
  /** Far too much is waiting to be drawn. */
  behind(): void;
}

export class Replica {
  readonly #parts: ReplicaParts;
  readonly #terminal: Terminal;
  readonly #observer: ResizeObserver;
  /** How large a cell is, for letters of 1 px; 0 until it has been drawn. */
  #cell: Extent = { across: 0, down: 0 };
  #undrawn = 0;
  #isBehind = false;
  #isMine = false;

  constructor(parts: ReplicaParts) {
    adoptStyles();
    this.#parts = parts;
    this.#terminal = new Terminal({
      scrollback: SCROLLBACK,
      allowProposedApi: true,
      disableStdin: true,
      cursorBlink: false,
      fontFamily: "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace",
      theme: THEME,
      // A program may write links to anywhere: they are text here.
      linkHandler: { activate: () => {} },
    });
    drawAlike(this.#terminal as unknown as Parameters<typeof drawAlike>[0]);
    silence(this.#terminal.parser);
    this.#terminal.attachCustomKeyEventHandler((event) => this.#takes(event));
    this.#terminal.onData((keys) => {
      if (this.#isMine) parts.press(keys);
    });
    this.#terminal.open(parts.element);
    parts.element.addEventListener("paste", this.#paste, { capture: true });
    parts.element.addEventListener("touchstart", this.#touched, { passive: true });
    parts.element.addEventListener("touchmove", this.#moved, { passive: false });
    this.#observer = new ResizeObserver(() => this.#fit());
    this.#observer.observe(parts.element);
  }

  /** In order with what was written before. */
  show({ cols, rows, data }: Picture): void {
    this.#isBehind = false;
    this.#terminal.write("\x1bc", () => {
      this.#terminal.resize(cols, rows);
      this.#fit();
    });
    this.#write(data);
    this.#terminal.write("", () => this.#revealCursor());
  }

  write(data: string): void {
    if (this.#isBehind) return;
    if (this.#undrawn + data.length > MOST_UNDRAWN) {
      this.#isBehind = true;
      this.#terminal.write("", () => this.#parts.behind());
      return;
    }
    this.#write(data);
  }

  /** From now on the person's keys are the program's. */
  setMine(isMine: boolean): void {
    this.#isMine = isMine;
    this.#terminal.options.disableStdin = !isMine;
    if (isMine) this.#terminal.focus();
  }

  get hasApplicationArrows(): boolean {
    return this.#terminal.modes.applicationCursorKeysMode;
  }

  /** Everything, oldest first: wrapped rows are one line again. */
  text(): string {
    const { active } = this.#terminal.buffer;
    const lines: string[] = [];
    for (let y = 0; y < active.length; y += 1) {
      const row = active.getLine(y);
      if (row === undefined) continue;
      const isWrapped = active.getLine(y + 1)?.isWrapped === true;
      const text = row.translateToString(!isWrapped);
      if (row.isWrapped && lines.length > 0) lines.push((lines.pop() ?? "") + text);
      else lines.push(text);
    }
    return lines.join("\n").trimEnd();
  }

  dispose(): void {
    this.#observer.disconnect();
    this.#terminal.dispose();
  }

  #write(data: string): void {
    this.#undrawn += data.length;
    this.#terminal.write(data, () => {
      this.#undrawn -= data.length;
      if (this.#isMine) this.#revealCursor();
    });
  }

  /** Without the keyboard, keys are the page's. */
  #takes(event: KeyboardEvent): boolean {
    if (!this.#isMine) return false;
    if (!givesBack(event)) return true;
    if (event.type === "keydown") {
      event.preventDefault();
      this.#parts.giveBack();
    }
    return false;
  }

  readonly #paste = (event: ClipboardEvent): void => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (this.#isMine && mayPaste(text, this.#terminal.modes.bracketedPasteMode)) return;
    event.preventDefault();
    event.stopPropagation();
    if (this.#isMine) this.#parts.pasteRefused();
  };

  #fit(): void {
    const { element } = this.#parts;
    const { cols, rows } = this.#terminal;
    const drawn = element.querySelector<HTMLElement>(".xterm-screen");
    const size = this.#terminal.options.fontSize ?? 0;
    if (drawn !== null && drawn.offsetWidth > 0 && size > 0)
      this.#cell = { across: drawn.offsetWidth / cols / size, down: drawn.offsetHeight / rows / size };
    const fitting = fontSizeFor(this.#room(), { across: cols, down: rows }, this.#cell);
    if (fitting !== size) this.#terminal.options.fontSize = fitting;
  }

  /** What the letters may take: down to the end of the window. */
  #room(): Extent {
    const { element } = this.#parts;
    const style = getComputedStyle(element);
    const [left = 0, right = 0, top = 0, bottom = 0] = [
      style.paddingLeft,
      style.paddingRight,
      style.paddingTop,
      style.paddingBottom,
    ].map(Number.parseFloat);
    const below = innerHeight - element.getBoundingClientRect().top - BELOW;
    return { across: element.clientWidth - left - right, down: below - top - bottom };
  }

  /** Where it is higher than its place, the row of the cursor is what a person wants to see. */
  #revealCursor(): void {
    const { element } = this.#parts;
    if (element.scrollHeight <= element.clientHeight) return;
    const height = (element.querySelector(".xterm-screen")?.clientHeight ?? 0) / this.#terminal.rows;
    const view = { top: element.scrollTop, height: element.clientHeight };
    const to = scrolledTo(this.#terminal.buffer.active.cursorY, height, view);
    if (to !== undefined) element.scrollTop = to;
  }

  #finger = { x: 0, y: 0, rest: 0 };

  readonly #touched = ({ touches }: TouchEvent): void => {
    const [touch] = touches;
    if (touch !== undefined) this.#finger = { x: touch.clientX, y: touch.clientY, rest: 0 };
  };

  /** The library does not listen to fingers. Sideways, and where there is nothing to scroll, the page moves. */
  readonly #moved = (event: TouchEvent): void => {
    const [touch] = event.touches;
    if (touch === undefined || event.touches.length > 1) return;
    const { x, y, rest } = this.#finger;
    const [across, down] = [touch.clientX - x, touch.clientY - y];
    const hasMore = this.#terminal.buffer.active.baseY > 0;
    if (!hasMore || Math.abs(across) > Math.abs(down)) return;
    event.preventDefault();
    const height =
      (this.#parts.element.querySelector(".xterm-screen")?.clientHeight ?? 0) / this.#terminal.rows;
    const moved = linesMoved(rest - down, height);
    this.#finger = { x: touch.clientX, y: touch.clientY, rest: moved.rest };
    if (moved.lines !== 0) this.#terminal.scrollLines(moved.lines);
  };
}
