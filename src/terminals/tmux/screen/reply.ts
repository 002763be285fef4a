import type { Screen } from "../../../core/readiness/screen.ts";
import { ansiLine } from "../../../screens/ansi.ts";
import type { Block } from "../control/control.ts";
import { parseScreenLines } from "./parser.ts";

/**
 * One command list that tmux answers in one turn, so that facts and picture belong together. Free text (the program's
 * name, the title) comes last in its reply, so no text can shift a field.
 */
export function screenCommands(pane: string, above = 0): string {
  return [
    `display-message -p -t ${pane} "${FACTS.join("/")}"`,
    `display-message -p -t ${pane} "#{pane_title}"`,
    `capture-pane -e -p -t ${pane}`,
    // Captured with the screen: without a history, tmux would return the screen's first line instead.
    ...(above > 0 ? [`capture-pane -e -p -S -${above} -t ${pane}`] : []),
  ].join(" ; ");
}

const FACTS = [
  "window_linked_sessions session_activity pane_id pane_pid window_id pane_width pane_height cursor_x cursor_y cursor_flag alternate_on",
  "pane_dead pane_input_off pane_synchronized pane_in_mode pane_mode pane_current_command",
].flatMap((line) => line.split(" ").map((name) => `#{${name}}`));

const ROW =
  /^(?:(\d+)\/(\d+)\/)?%\d+\/(\d+)\/(@\d+)\/(\d+)\/(\d+)\/(\d+)\/(\d+)\/([01])\/([01])\/([01]?)\/([01]?)\/([01]?)\/(\d*)\/([\w-]*)\/(.*)$/;

type ScreenReply =
  | {
      readonly kind: "screen";
      readonly screen: Screen;
      readonly above: readonly string[];
      readonly panePid: number;
      readonly windowId: string;
      /** In seconds; undefined if people can type from several sessions, each of which has its own. */
      readonly activity: number | undefined;
    }
  | { readonly kind: "gone" }
  | { readonly kind: "malformed"; readonly cause: string };

export function readScreenReply(blocks: readonly Block[], above = 0): ScreenReply {
  const failed = blocks.find((block) => !block.ok);
  if (failed !== undefined) {
    const cause = failed.lines.join(" ");
    return isPaneMissing(cause) ? { kind: "gone" } : { kind: "malformed", cause };
  }
  const [facts, title, captured, whole] = blocks;
  const row = ROW.exec(facts?.lines[0] ?? "");
  if (row === null || blocks.length !== (above > 0 ? 4 : 3) || captured === undefined) {
    return { kind: "malformed", cause: "tmux describes the terminal in an unknown form" };
  }
  const [, sessions, activity, panePid, windowId = "", columns, rows, x, y, shown, alternate] = row;
  const [dead, inputOff, synchronised, modes, mode = "", command = ""] = row.slice(11);
  const height = Number(rows);
  if (captured.lines.length > height) {
    return { kind: "malformed", cause: "tmux shows more lines than the terminal has" };
  }
  const missing = Array.from({ length: height - captured.lines.length }, () => "");
  return {
    kind: "screen",
    panePid: Number(panePid),
    windowId,
    activity: sessions === "1" ? Number(activity) : undefined,
    above: linesAbove(whole?.lines ?? [], height),
    screen: {
      columns: Number(columns),
      rows: height,
      cursor: { x: Number(x), y: Number(y), visible: shown === "1" },
      alternate: alternate === "1",
      title: title?.lines.join(" ") ?? "",
      command,
      // A mode without a name still takes keys.
      mode: mode !== "" ? mode : modes === "" || modes === "0" ? "" : "unknown-mode",
      dead: dead === "1",
      inputOff: inputOff === "1",
      synchronised: synchronised === "1",
      lines: parseScreenLines([...captured.lines, ...missing]),
    },
  };
}

function linesAbove(whole: readonly string[], height: number): readonly string[] {
  return parseScreenLines(whole)
    .slice(0, Math.max(0, whole.length - height))
    .map(ansiLine);
}

function isPaneMissing(error: string): boolean {
  return /^can't find (pane|window|session)/.test(error);
}
