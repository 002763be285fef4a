import headless from "@xterm/headless";
import { type Row, readRow } from "../src/screens/cells.ts";
import { CHARACTER_WIDTHS } from "../src/screens/character-width.ts";

interface SyncWriter {
  readonly _core: { readonly _writeBuffer: { writeSync(data: string | Uint8Array): void } };
}

/** A terminal without a window. When `write` returns, it has drawn what it was sent. */
export class WindowModel {
  readonly terminal: InstanceType<typeof headless.Terminal>;
  cursorVisible = true;

  constructor({ cols, rows, scrollback = 0 }: { cols: number; rows: number; scrollback?: number }) {
    this.terminal = new headless.Terminal({ cols, rows, scrollback, allowProposedApi: true });
    this.terminal.unicode.register(CHARACTER_WIDTHS);
    this.terminal.unicode.activeVersion = CHARACTER_WIDTHS.version;
    const visible = (on: boolean) => (parameters: readonly (number | number[])[]) => {
      if (parameters.includes(25)) this.cursorVisible = on;
      return false;
    };
    this.terminal.parser.registerCsiHandler({ prefix: "?", final: "h" }, visible(true));
    this.terminal.parser.registerCsiHandler({ prefix: "?", final: "l" }, visible(false));
  }

  /** Resets it to its initial state: creating one takes longer than most tests. */
  restart({ cols, rows }: { readonly cols: number; readonly rows: number }): void {
    this.terminal.resize(cols, rows);
    this.terminal.reset();
    // Otherwise a combining mark at the very beginning would join the last character from before the reset.
    this.write("\x1b[0m");
    this.cursorVisible = true;
  }

  write(data: string | Uint8Array): void {
    (this.terminal as unknown as SyncWriter)._core._writeBuffer.writeSync(data);
  }

  rows(): readonly Row[] {
    const { active } = this.terminal.buffer;
    const reused = active.getNullCell();
    return Array.from({ length: this.terminal.rows }, (_, y) =>
      readRow(active.getLine(active.baseY + y), this.terminal.cols, reused),
    );
  }

  text(): readonly string[] {
    return this.rows().map((row) =>
      row
        .map(({ text }) => text)
        .join("")
        .trimEnd(),
    );
  }

  get isAlternate(): boolean {
    return this.terminal.buffer.active.type === "alternate";
  }

  get cursor(): { readonly x: number; readonly y: number } {
    const { cursorX, cursorY } = this.terminal.buffer.active;
    return { x: cursorX, y: cursorY };
  }

  dispose(): void {
    this.terminal.dispose();
  }
}
