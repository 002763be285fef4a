import type { Reading } from "../../core/readiness/reading.ts";
import type { Screen } from "../../core/readiness/screen.ts";
import { isBlank, lastRows, rowAt, rowsBetween } from "../../screens/screen-rows.ts";
import { dialogIn } from "../screen-reading.ts";

const INVITATION = /\bEsc(?:ape)?\b|\benter\b/iu;
const POINTER = /^› (?:\d+\. |\[.\] |\S)/u;
// At the first ones, Escape leaves Codex; for the others it was never measured.
const UNTOUCHABLE =
  /\bdo you trust\b|\bfolder access\b|\btrust the contents\b|\bsign in\b|\bhooks? needs? review\b|\bupdate available\b|\bresume a previous session\b/iu;

/** A dialog hides the cursor and points at a choice; if it asks for permission, the title says so too. */
export function findCodexDialog(screen: Screen): Reading | undefined {
  const asked = /^\[ [.!] \] Action Required\b/u.test(screen.title);
  const shown = !screen.cursor.visible && hasPointer(screen) && invites(screen);
  if (!asked && !shown) return undefined;
  const rows = rowsBetween(screen, firstDialogRow(screen), screen.rows - 1).filter((row) => !isBlank(row));
  const heading = rows.findIndex((row) => row.runs.find((run) => run.text.trim() !== "")?.bold);
  return dialogIn(rows.slice(Math.max(0, heading)), UNTOUCHABLE);
}

/** Sent messages have the same mark, but dim. */
function hasPointer(screen: Screen): boolean {
  return screen.lines.some((row) => POINTER.test(row.text) && row.runs[0]?.dim === false);
}

function invites(screen: Screen): boolean {
  return lastRows(screen, 2).some((row) => INVITATION.test(row.text));
}

/** Below the conversation's last entry, whose first row starts at the left edge and whose other rows are indented. */
function firstDialogRow(screen: Screen): number {
  let start = 0;
  for (let y = 0; y < screen.rows; y += 1) {
    const row = rowAt(screen, y);
    const entry = /^[•■⚠✗✓✔]/u.test(row.text) || (/^› /u.test(row.text) && row.runs[0]?.dim === true);
    if (entry) start = y + 1;
  }
  return start;
}
