/**
 * Everything a fresh terminal must be fed to look like a screen model, and to go on like it. The serialiser brings the
 * scrollback and how its lines wrap; it forgets bold behind dim, the kinds of underline, margins, the saved place, the
 * way the mouse is told and the cursor's shape, so the screen itself and all of those are written here.
 */
import type { SerializeAddon } from "@xterm/addon-serialize";
import type { IBuffer, Terminal } from "@xterm/headless";
import { type ModelPen, penStyle, type Row, screenRows } from "./cells.ts";
import { drawRows } from "./draw-rows.ts";
import { MOUSE_MODES, type Unlisted } from "./same-drawing.ts";

export function redrawing(terminal: Terminal, serialiser: SerializeAddon, unlisted: Unlisted): string {
  const { normal, active } = terminal.buffer;
  const { buffers } = (terminal as unknown as Inside)._core._bufferService;
  const rows = screenRows(terminal, active, active.baseY);
  // Going to the other screen saves the place to come back to.
  const beyond =
    active.type === "normal"
      ? ""
      : `${margins(buffers.normal)}${saved(buffers.normal)}\x1b[?1049h\x1b[0m${drawRows([], rows)}${erasures(active, rows)}`;
  const below = screenRows(terminal, normal, normal.baseY);
  return [
    serialiser.serialize({ excludeAltBuffer: true, excludeModes: true }),
    "\x1b[0m",
    drawRows([], below),
    erasures(normal, below),
    beyond,
    hands(terminal, rows),
    modes(terminal, unlisted),
  ].join("");
}

/** A background and nothing else: all that erasing leaves. */
const ONLY_GROUND = /^(?:4[0-7]|10[0-7]|48[;:]5[;:]\d+|48[;:]2[;:][\d;:]+)$/u;

/** Cells that were erased in a colour are no spaces: those wrap into the next row when the window gets narrower. */
function erasures(buffer: IBuffer, rows: readonly Row[]): string {
  const reused = buffer.getNullCell();
  let out = "";
  rows.forEach((row, y) => {
    const line = buffer.getLine(buffer.baseY + y);
    const isErased = (x: number): boolean =>
      ONLY_GROUND.test(row[x]?.style ?? "") &&
      row[x]?.width === 1 &&
      line?.getCell(x, reused)?.getChars() === "";
    for (let x = 0; x < row.length; x += 1) {
      if (!isErased(x)) continue;
      const from = x;
      while (x + 1 < row.length && row[x + 1]?.style === row[from]?.style && isErased(x + 1)) x += 1;
      out += `${place(y, from)}${sgr(row[from]?.style ?? "")}\x1b[${x + 1 - from}X`;
    }
  });
  return out === "" ? "" : `${out}\x1b[0m`;
}

/** Margins, the saved place, the cursor and the pen. */
function hands(terminal: Terminal, rows: readonly Row[]): string {
  const { _bufferService, _inputHandler } = (terminal as unknown as Inside)._core;
  const { buffer } = _bufferService;
  const { originMode, insertMode } = terminal.modes;
  const { cols } = terminal;
  const y = originMode ? buffer.y - buffer.scrollTop : buffer.y;
  // Behind the last column the next character wraps: that comes of drawing the last one, and of nothing else.
  const last = rows[buffer.y]?.at(-1)?.width === 0 ? cols - 2 : cols - 1;
  const edge = rows[buffer.y]?.[last];
  return [
    `${margins(buffer)}${saved(buffer)}\x1b7`,
    originMode ? "\x1b[?6h" : "",
    buffer.x < cols || edge === undefined
      ? place(y, Math.min(buffer.x, cols - 1))
      : place(y, last) + sgr(edge.style) + edge.text,
    sgr(penStyle(_inputHandler._curAttrData)),
    insertMode ? "\x1b[4h" : "",
  ].join("");
}

function modes({ modes: on }: Terminal, { mouseEncoding, cursorShape, cursorVisible }: Unlisted): string {
  const numbers = [
    on.applicationCursorKeysMode && 1,
    on.applicationKeypadMode && 66,
    on.bracketedPasteMode && 2004,
    on.reverseWraparoundMode && 45,
    on.sendFocusMode && 1004,
    MOUSE_MODES[on.mouseTrackingMode],
    mouseEncoding,
  ];
  return [
    ...numbers.filter(Boolean).map((number) => `\x1b[?${number}h`),
    on.wraparoundMode ? "" : "\x1b[?7l",
    cursorShape === 0 ? "" : `\x1b[${cursorShape} q`,
    cursorVisible ? "\x1b[?25h" : "\x1b[?25l",
  ].join("");
}

function margins({ scrollTop, scrollBottom }: Buffer): string {
  return `\x1b[${scrollTop + 1};${scrollBottom + 1}r`;
}

function saved({ savedX, savedY, savedCurAttrData, ybase }: Buffer): string {
  return place(Math.max(0, savedY - ybase), savedX) + sgr(penStyle(savedCurAttrData));
}

function place(y: number, x: number): string {
  return `\x1b[${y + 1};${x + 1}H`;
}

function sgr(style: string): string {
  return style === "" ? "\x1b[0m" : `\x1b[0;${style}m`;
}

/** What the model keeps to itself. */
interface Buffer {
  readonly scrollTop: number;
  readonly scrollBottom: number;
  readonly savedX: number;
  readonly savedY: number;
  readonly savedCurAttrData: ModelPen;
  readonly x: number;
  readonly y: number;
  readonly ybase: number;
}

interface Inside {
  readonly _core: {
    readonly _bufferService: { readonly buffer: Buffer; readonly buffers: { readonly normal: Buffer } };
    readonly _inputHandler: { readonly _curAttrData: ModelPen };
  };
}
