/**
 * What a fresh terminal must be sent to look and continue like a screen model. The serialiser provides the scrollback
 * and how its lines wrap. It omits bold after dim, kinds of underline, margins, the saved cursor, the mouse encoding
 * and the cursor's shape, so the screen itself and all of these are written here.
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
  // Switching to the other screen saves the cursor position to return to.
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

/** Only a background colour: all that erasing leaves. */
const ONLY_GROUND = /^(?:4[0-7]|10[0-7]|48[;:]5[;:]\d+|48[;:]2[;:][\d;:]+)$/u;

/** Cells erased in a colour are not spaces: spaces would wrap into the next row when the window gets narrower. */
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

/** Margins, saved cursor, cursor and pen. */
function hands(terminal: Terminal, rows: readonly Row[]): string {
  const { _bufferService, _inputHandler } = (terminal as unknown as Inside)._core;
  const { buffer } = _bufferService;
  const { originMode, insertMode } = terminal.modes;
  const { cols } = terminal;
  const y = originMode ? buffer.y - buffer.scrollTop : buffer.y;
  // Only drawing the last column leaves the cursor behind it, where the next character wraps.
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

/** Private fields of the model. */
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
