import type { Reading } from "../../core/readiness/reading.ts";
import type { Screen, ScreenLine } from "../../core/readiness/screen.ts";
import { lastRows, rowAt, rowsBetween } from "../../screens/screen-rows.ts";
import { dialogIn } from "../screen-reading.ts";

const INVITATION =
  /\b(?:(?<!double tap )esc(?:\/\w+)* to (?:cancel|exit|close|clear|skip|go back)|enter to (?:confirm|select|continue|set|use))\b/iu;
// At the first four, Escape leaves Claude Code or its first-start setup; at the last, it declines the message.
const UNTOUCHABLE =
  /\btrust (?:this folder|the files)|\blet's get started\b|\bselect login method\b|\bbypass permissions mode\b|\bheld message from another session\b/iu;

/** For a screen whose cursor is not in a composer: the dialog's pointer only resembles the composer's mark. */
export function findClaudeDialog(screen: Screen): Reading | undefined {
  const pointer = hasPointerUnderCursor(screen);
  if (!pointer && !invites(lastRows(screen, 3))) return undefined;
  const rows = rowsBetween(screen, firstDialogRow(screen, pointer), screen.rows - 1);
  const told = rows.filter((row) => /[^─╌▔\s]/u.test(row.text));
  return dialogIn(told, UNTOUCHABLE);
}

/** Claude parks its hidden cursor on the pointer: `❯` and an ordinary space, not the composer's no-break space. */
function hasPointerUnderCursor(screen: Screen): boolean {
  const { x, y, visible } = screen.cursor;
  const { text } = rowAt(screen, y);
  return !visible && text.slice(0, x).trim() === "" && /^❯ \S/u.test(text.slice(x));
}

/** Whether text under the dialog names the keys that answer it. */
export function invites(rows: readonly ScreenLine[]): boolean {
  return rows.some((row) => INVITATION.test(row.text));
}

/** The dialog begins under the nearest rule above its pointer; if it fills a low terminal, no rule is visible. */
function firstDialogRow(screen: Screen, pointer: boolean): number {
  for (let y = pointer ? screen.cursor.y : screen.rows - 1; y >= 0; y -= 1) {
    const { text } = rowAt(screen, y);
    if (/^(?:[─▔]{4,}|[●✻]| {2}⎿)/u.test(text)) return y + 1;
  }
  return 0;
}
