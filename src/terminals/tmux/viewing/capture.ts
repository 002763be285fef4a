/** Everything that tmux tells of a pane's screen, asked as one command list, which tmux answers in one turn. Pure. */
import type { Block } from "../control/control.ts";
import { quote } from "../control/quote.ts";
import { unescaped } from "./output-text.ts";

/** How many rows that scrolled off are copied too. */
export const HISTORY_ROWS = 1_000;

export interface Capture {
  readonly cols: number;
  readonly rows: number;
  readonly windowId: string;
  /** Whether the pane is still in the session of the client that asks. */
  readonly isHere: boolean;
  readonly panePid: number;
  readonly title: string;
  /** Colours carry over from row to row, here and in the others. */
  readonly screen: readonly string[];
  /** What is under the alternate screen, if that shows. */
  readonly saved: { readonly rows: readonly string[]; readonly x: number; readonly y: number } | undefined;
  /** Oldest first; wrapped rows are joined. */
  readonly history: readonly string[];
  /** A sequence whose end the program has not written yet. */
  readonly unfinished: Buffer;
  readonly cursor: { readonly x: number; readonly y: number };
  readonly region: { readonly upper: number; readonly lower: number };
  readonly tabs: readonly number[];
  readonly modes: ReadonlySet<ModeName>;
}

const MODES = [
  ...["cursor_flag", "insert_flag", "keypad_cursor_flag", "keypad_flag", "mouse_standard_flag"],
  ...["mouse_button_flag", "mouse_all_flag", "mouse_sgr_flag", "mouse_utf8_flag", "origin_flag", "wrap_flag"],
] as readonly ModeName[];
export type ModeName =
  | "cursor_flag"
  | "insert_flag"
  | "keypad_cursor_flag"
  | "keypad_flag"
  | "mouse_standard_flag"
  | "mouse_button_flag"
  | "mouse_all_flag"
  | "mouse_sgr_flag"
  | "mouse_utf8_flag"
  | "origin_flag"
  | "wrap_flag";

const NUMBERS = [
  "pane_pid pane_width pane_height cursor_x cursor_y alternate_on alternate_saved_x alternate_saved_y",
  "scroll_region_upper scroll_region_lower history_size",
].flatMap((line) => line.split(" "));

const FACTS = [...NUMBERS, ...MODES, "window_id", "pane_tabs"].map((name) => `#{${name}}`).join("/");

export const CAPTURE_REPLIES = 7;

export function captureCommands(pane: string, session: string, historyRows = HISTORY_ROWS): string {
  return [
    `display-message -p -t ${pane} ${quote(FACTS)}`,
    `display-message -p -t ${pane} "#{pane_title}"`,
    `capture-pane -p -e -N -t ${pane}`,
    `capture-pane -p -e -N -a -q -t ${pane}`,
    `capture-pane -p -e -J -S -${historyRows} -E -1 -t ${pane}`,
    `capture-pane -p -P -C -t ${pane}`,
    `list-panes -s -t ${quote(session)} -F "#{pane_id}"`,
  ].join(" ; ");
}

type CaptureReply =
  | { readonly kind: "capture"; readonly capture: Capture }
  | { readonly kind: "gone" }
  | { readonly kind: "malformed"; readonly cause: string };

export function readCapture(blocks: readonly Block[], pane: string): CaptureReply {
  const failed = blocks.find((block) => !block.ok)?.lines.join(" ");
  if (failed !== undefined)
    return /^can't find pane/.test(failed) ? { kind: "gone" } : { kind: "malformed", cause: failed };
  const [facts, title, screen, saved, history, unfinished, panes] = blocks.map(({ lines }) => lines);
  const fields = facts?.join("").split("/") ?? [];
  // tmux answers with empty fields for a pane that is not there.
  if (fields[0] === "") return { kind: "gone" };
  const numbers = fields.slice(0, NUMBERS.length).map(Number);
  const modes = fields.slice(NUMBERS.length, NUMBERS.length + MODES.length);
  const [windowId = "", tabs = ""] = fields.slice(NUMBERS.length + MODES.length);
  const [panePid = 0, cols = 0, rows = 0, x = 0, y = 0, alternate, savedX = 0, savedY = 0] = numbers;
  const [upper = 0, lower = 0, scrolledOff = 0] = numbers.slice(8);
  if (
    !numbers.every(Number.isInteger) ||
    !/^@\d+$/.test(windowId) ||
    panes === undefined ||
    cols < 1 ||
    rows < 1
  )
    return { kind: "malformed", cause: "tmux describes the terminal in an unknown form" };
  return {
    kind: "capture",
    capture: {
      cols,
      rows,
      windowId,
      isHere: panes.includes(pane),
      panePid,
      title: title?.join(" ") ?? "",
      screen: (screen ?? []).slice(0, rows),
      saved: alternate === 1 ? { rows: (saved ?? []).slice(0, rows), x: savedX, y: savedY } : undefined,
      // Without any, tmux captures the screen's first row instead.
      history: scrolledOff === 0 ? [] : (history ?? []),
      unfinished: unescaped(Buffer.from((unfinished ?? []).join("\n"), "utf8")),
      cursor: { x, y },
      region: { upper, lower },
      tabs: tabs === "" ? [] : tabs.split(",").map(Number),
      modes: new Set(MODES.filter((_, index) => modes[index] === "1")),
    },
  };
}
