/** What the person's window shows: the program at the top left, our two lines at the bottom. Pure. */

import { assertNever } from "../../core/errors.ts";
import type { Priority } from "../../core/message.ts";
import { BLANK, blankRow, type Cell, type Row, sameCell } from "../../screens/cells.ts";
import type { Size } from "../../screens/same-drawing.ts";
import type { Attachment } from "../attachment-state.ts";
import { BAR_PRIORITIES } from "../keys/bar.ts";
import { type BarRow, barRow } from "./bar-row.ts";
import { cellsOf, faintRow, rowOf } from "./cell-text.ts";
import type { ProgramCursor } from "./replica.ts";
import { statusRow } from "./status-row.ts";
import { BAR_MODES, type TerminalModes } from "./terminal-modes.ts";

export interface ProgramView {
  readonly rows: readonly Row[];
  readonly cursor: ProgramCursor;
  readonly modes: TerminalModes;
  readonly scrolledBack: number;
  readonly scrollback: number;
}

export type Picture = Pick<ProgramView, "rows" | "cursor" | "modes">;

export interface Captions {
  readonly agent: string;
  /** The prefix key's name. */
  readonly prefix: string;
}

const OUR_ROWS = 2;
const LEAST_COLS = 2;

/** The part of a window that is left for the program. */
export function programSize({ cols, rows }: Size): Size {
  return { cols: Math.max(LEAST_COLS, cols), rows: Math.max(1, rows - OUR_ROWS) };
}

export function picture(at: Attachment, program: ProgramView, captions: Captions, window: Size): Picture {
  const { cols, rows } = window;
  const above = Math.max(0, rows - OUR_ROWS);
  const first = firstShown(program.rows, above);
  const shown = Array.from({ length: above }, (_, y) => fitted(program.rows[first + y], cols));
  const bar = bottomRow(at, program, captions, cols);
  const status = statusRow(
    {
      agent: captions.agent,
      daemon: at.daemon,
      host: at.host,
      viewer: at.viewer,
      ...(at.note === null ? {} : { note: at.note }),
      ...placeOf(at, program, captions),
    },
    cols,
  );
  const ours = [status, bar.row].slice(-rows);
  const lines = at.mode.at === "help" ? withHelp(shown, captions.prefix, cols) : shown;
  const inProgram = at.mode.at === "passthrough";
  return {
    rows: [...lines, ...ours],
    cursor: inProgram ? clipped(program.cursor, first, cols, above) : barCursor(at, bar.cursorX, rows),
    modes: inProgram ? program.modes : BAR_MODES,
  };
}

const WHAT_ENTER_DOES: Readonly<Record<Priority, string>> = {
  normal: "Enter types it in",
  "idle-first": "Enter queues it, before all else that waits for idle",
  idle: "Enter queues it until all is done",
  interrupt: "Enter sends it at once and stops the running turn",
};

/** A dialog needs keys such as arrows, and the bar only sends text. */
function adviceOf({ bar, daemon }: Attachment, prefix: string): string {
  const shut = daemon.at === "there" && ["blocked", "unknown"].includes(daemon.session.readiness);
  const then = shut ? `${prefix} p gives the program your keys` : "Tab changes how";
  return `${WHAT_ENTER_DOES[bar.priority]}, ${then}, ${prefix} ? helps`;
}

function bottomRow(
  at: Attachment,
  { scrollback }: ProgramView,
  { prefix, agent }: Captions,
  cols: number,
): BarRow {
  const { mode } = at;
  const faint = (text: string) => ({ row: faintRow(text, cols), cursorX: 0 });
  if (at.awaiting === "command")
    return faint(`${prefix} — p passthrough · d detach · [ scrollback · ? help · ${prefix} sends it`);
  switch (mode.at) {
    case "bar":
      if (at.may === "watch") return faint(`watching · ${prefix} d leaves · ${prefix} [ scrolls back`);
      return barRow(at.bar, at.hint === "" ? adviceOf(at, prefix) : at.hint, cols);
    case "asking":
      return faint("asking for the keyboard…");
    case "passthrough":
      return faint(`keys go to the program, messages wait · ${prefix} p: back to the bar`);
    case "scrollback":
      // A full-screen program leaves no scrollback: the conversation is in its own session file.
      return faint(
        scrollback === 0
          ? `q back · nothing scrolled off; what was said: bellhop transcript ${agent}`
          : "PageUp PageDown Up Down · g first · G last · q back",
      );
    case "help":
      return faint("any key goes back");
    default:
      return assertNever(mode);
  }
}

function placeOf(
  { mode }: Attachment,
  { scrolledBack, scrollback }: ProgramView,
  { prefix }: Captions,
): { readonly place?: string } {
  if (mode.at === "scrollback") return { place: `${scrolledBack} of ${scrollback} lines back` };
  return mode.at === "passthrough" ? { place: `passthrough (${prefix} p ends it)` } : {};
}

function barCursor(at: Attachment, x: number, rows: number): ProgramCursor {
  const visible = at.mode.at === "bar" && at.may === "type" && at.awaiting === "nothing";
  return { x, y: Math.max(0, rows - 1), visible, shape: 0 };
}

function clipped(cursor: ProgramCursor, first: number, cols: number, rows: number): ProgramCursor {
  const y = cursor.y - first;
  return { ...cursor, y: Math.max(0, y), visible: cursor.visible && cursor.x < cols && y >= 0 && y < rows };
}

/** A watcher's window may be shorter than the program's screen: show its end, where new output appears. */
export function firstShown(rows: readonly Row[], room: number): number {
  if (rows.length <= room) return 0;
  const last = rows.findLastIndex((row) => row.some((cell) => !sameCell(cell, BLANK)));
  return Math.max(0, Math.min(last + 1 - room, rows.length - room));
}

/** Cut or padded to the window; half of a wide character is dropped. */
export function fitted(row: Row | undefined, cols: number): Row {
  if (row === undefined) return blankRow(cols);
  if (row.length === cols) return row;
  if (row.length < cols) return [...row, ...blankRow(cols - row.length)];
  const cut: Cell[] = row.slice(0, cols);
  const last = cut.at(-1);
  if (last?.width === 2) cut[cols - 1] = { ...BLANK, style: last.style };
  return cut;
}

function withHelp(rows: readonly Row[], prefix: string, cols: number): readonly Row[] {
  const lines = helpLines(prefix);
  return rows.map((row, y) => {
    const line = lines[y];
    return line === undefined ? row : rowOf(cellsOf({ text: line, style: y === 0 ? "1" : "" }), cols);
  });
}

function helpLines(prefix: string): readonly string[] {
  const keys: readonly (readonly [string, string])[] = [
    ["Enter", "types the text in (normal), or sends it through the queue"],
    ["Tab", `${BAR_PRIORITIES.join(" → ")}, for this text`],
    ["Up Down", "what you said before"],
    ["C-a C-e M-b M-f", "start, end, a word back, a word on"],
    ["C-u C-k C-w", "cut to the start, to the end, a word"],
    ["C-j", "a new line"],
    [`${prefix} p`, "passthrough: all keys go to the program, messages wait"],
    ["", "(again: back to the bar)"],
    [`${prefix} [`, "scrollback: PageUp PageDown Up Down g G, q goes back"],
    [`${prefix} d`, "detach; the program goes on"],
    [`${prefix} ${prefix}`, "in passthrough: sends the key itself"],
  ];
  const width = Math.max(...keys.map(([key]) => key.length));
  return [" Keys", ...keys.map(([key, does]) => ` ${key.padEnd(width)}  ${does}`), ""];
}
