/** What a terminal must be sent to look like a captured pane, and to continue like it. Pure. */
import { assertNever } from "../../../core/errors.ts";
import type { Capture, ModeName } from "./capture.ts";
import { PenCarry } from "./pen-carry.ts";

/** The history gives way first: the whole goes to the reader as one message. */
export const REPLAY_LIMITS = { historyCharacters: 512 * 1024 } as const;

const PLAIN_PEN = "\x0f\x1b[0m";
/** Line drawing is written with the second character set, and programs that use that one mean line drawing by it. */
const RESET = "\x1bc\x1b)0";

/** `pen`: what sets the program's own. `unfinished`: the start of a sequence that the program has only begun. */
export function replay(capture: Capture, pen: string, unfinished: string): string {
  const { screen, saved, cols, rows } = capture;
  return [
    RESET,
    history(capture),
    saved === undefined ? "" : `${drawn(saved.rows)}${place(saved.y, saved.x)}\x1b[?1049h`,
    drawn(screen),
    tabs(capture),
    `\x1b[${capture.region.upper + 1};${Math.min(capture.region.lower, rows - 1) + 1}r`,
    cursor(capture, cols),
    modes(capture),
    pen,
    unfinished,
  ].join("");
}

/** Everything scrolls off, so that the screen below it is empty again. */
function history({ history: lines, rows }: Capture): string {
  const kept = newest(lines);
  if (kept.length === 0) return "";
  const pen = new PenCarry();
  for (const line of lines.slice(0, lines.length - kept.length)) pen.take(line);
  let out = "";
  for (const line of kept) {
    // A new line takes the background that is set, so it begins with a plain one.
    out += `${pen.text}${line}${PLAIN_PEN}\r\n`;
    pen.take(line);
  }
  return out + "\n".repeat(rows - 1);
}

function newest(lines: readonly string[]): readonly string[] {
  let room = REPLAY_LIMITS.historyCharacters;
  const first = lines.findLastIndex((line) => {
    room -= line.length;
    return room < 0;
  });
  return lines.slice(first + 1);
}

function drawn(rows: readonly string[]): string {
  const out = rows.map((row, y) => (row === "" ? "" : `${place(y, 0)}${row}`)).join("");
  return `\x1b[?7l${out}${PLAIN_PEN}\x1b[?7h`;
}

function tabs({ tabs: stops, cols }: Capture): string {
  const usual = Array.from({ length: Math.ceil(cols / 8) - 1 }, (_, index) => (index + 1) * 8);
  if (stops.join() === usual.join()) return "";
  return `\x1b[3g${stops.map((x) => `${place(0, x)}\x1bH`).join("")}`;
}

function cursor(capture: Capture, cols: number): string {
  const { cursor: at, region, screen } = capture;
  const isRelative = capture.modes.has("origin_flag");
  const y = isRelative ? at.y - region.upper : at.y;
  const origin = isRelative ? "\x1b[?6h" : "";
  if (at.x < cols) return `${origin}${place(y, at.x)}`;
  // Only drawing the last column leaves the cursor behind it, where the next character wraps.
  const pen = new PenCarry();
  for (const row of screen.slice(0, at.y)) pen.take(row);
  return `${origin}${place(y, 0)}${pen.text}${screen[at.y] ?? ""}${PLAIN_PEN}`;
}

function modes({ modes: on }: Capture): string {
  const set = [...on].map(setting).join("");
  // tmux does not tell whether the program wants pastes marked. Marked ones are given to tmux, which knows.
  return `${set}\x1b[?2004h${on.has("cursor_flag") ? "" : "\x1b[?25l"}${on.has("wrap_flag") ? "" : "\x1b[?7l"}`;
}

function setting(mode: ModeName): string {
  switch (mode) {
    case "insert_flag":
      return "\x1b[4h";
    case "keypad_cursor_flag":
      return "\x1b[?1h";
    case "keypad_flag":
      return "\x1b=";
    case "mouse_standard_flag":
      return "\x1b[?1000h";
    case "mouse_button_flag":
      return "\x1b[?1002h";
    case "mouse_all_flag":
      return "\x1b[?1003h";
    case "mouse_sgr_flag":
      return "\x1b[?1006h";
    case "mouse_utf8_flag":
      return "\x1b[?1005h";
    // Set where the cursor is placed, or when they are missing.
    case "origin_flag":
    case "cursor_flag":
    case "wrap_flag":
      return "";
    default:
      return assertNever(mode);
  }
}

function place(y: number, x: number): string {
  return `\x1b[${y + 1};${x + 1}H`;
}
