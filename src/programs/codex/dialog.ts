import type { Screen } from "../../core/readiness/screen.ts";
import { isBlank, lastRows, rowAt, rowsBetween } from "../../screens/screen-rows.ts";

/** What asks the person something and would take our keys for an answer. */
export type CodexDialog =
  | { readonly kind: "none" }
  | { readonly kind: "dialog"; readonly title: string; readonly fingerprint: string }
  /** Escape would leave the program or answer for the person: nothing may touch it. */
  | { readonly kind: "untouchable"; readonly title: string; readonly text: string };

const INVITATION = /\bEsc(?:ape)?\b|\benter\b/iu;
const POINTER = /^› (?:\d+\. |\[.\] |\S)/u;
// Escape leaves Codex at the first ones; at the others nobody has measured it.
const UNTOUCHABLE =
  /\bdo you trust\b|\bfolder access\b|\btrust the contents\b|\bsign in\b|\bhooks? needs? review\b|\bupdate available\b|\bresume a previous session\b/iu;

/** A dialog hides the cursor and points at a choice; while it asks for permission the title says so too. */
export function findCodexDialog(screen: Screen): CodexDialog {
  const asked = /^\[ [.!] \] Action Required\b/u.test(screen.title);
  const shown = !screen.cursor.visible && hasPointer(screen) && invites(screen);
  if (!asked && !shown) return { kind: "none" };
  const rows = rowsBetween(screen, firstDialogRow(screen), screen.rows - 1).filter((row) => !isBlank(row));
  const heading = rows.findIndex((row) => row.runs.find((run) => run.text.trim() !== "")?.bold);
  const texts = rows.slice(Math.max(0, heading)).map((row) => row.text.trim().replace(/\s+/gu, " "));
  const title = texts[0] ?? "a dialog";
  if (texts.some((text) => UNTOUCHABLE.test(text)))
    return { kind: "untouchable", title, text: texts.join("\n") };
  // The pointer stays in: a dialog on another choice is another question for one who presses Enter.
  return { kind: "dialog", title, fingerprint: texts.join("\n") };
}

/** Messages already sent carry the same mark, but dim. */
function hasPointer(screen: Screen): boolean {
  return screen.lines.some((row) => POINTER.test(row.text) && row.runs[0]?.dim === false);
}

function invites(screen: Screen): boolean {
  return lastRows(screen, 2).some((row) => INVITATION.test(row.text));
}

/** Under the conversation's last entry: its first row starts at the left edge, what belongs to it is indented. */
function firstDialogRow(screen: Screen): number {
  let start = 0;
  for (let y = 0; y < screen.rows; y += 1) {
    const row = rowAt(screen, y);
    const entry = /^[•■⚠✗✓✔]/u.test(row.text) || (/^› /u.test(row.text) && row.runs[0]?.dim === true);
    if (entry) start = y + 1;
  }
  return start;
}
