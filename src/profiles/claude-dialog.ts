import type { Screen } from "../core/screen.ts";
import { lastRows, rowAt, rowsBetween } from "./screen-rows.ts";

/** What asks the person something and would take our keys for an answer. */
export type ClaudeDialog =
  | { readonly kind: "none" }
  | { readonly kind: "dialog"; readonly title: string; readonly fingerprint: string }
  /** Escape would leave the program or answer for the person: nothing may touch it. */
  | { readonly kind: "untouchable"; readonly title: string };

const INVITATION =
  /\b(?:esc(?:\/\w+)* to (?:cancel|exit|close|clear|skip|go back)|enter to (?:confirm|select|continue|set|use))\b/iu;
// Escape at the first four leaves Claude Code or its first start; at the last it declines the message for the person.
const UNTOUCHABLE =
  /\btrust (?:this folder|the files)|\blet's get started\b|\bselect login method\b|\bbypass permissions mode\b|\bheld message from another session\b/iu;

/** Looked for before the composer: the dialog's pointer resembles a composer's mark. */
export function findClaudeDialog(screen: Screen): ClaudeDialog {
  if (!hasPointerUnderCursor(screen) && !invites(screen)) return { kind: "none" };
  const texts = rowsBetween(screen, firstDialogRow(screen), screen.rows - 1)
    .map((row) => row.text.trim().replace(/\s+/gu, " "))
    .filter((text) => /[^─╌▔ ]/u.test(text));
  const title = texts[0] ?? "a dialog";
  if (texts.some((text) => UNTOUCHABLE.test(text))) return { kind: "untouchable", title };
  // The pointer stays in: a dialog on another choice is another question for one who presses Enter.
  return { kind: "dialog", title, fingerprint: texts.join("\n") };
}

/** Claude parks its hidden cursor on the pointer: `❯` and an ordinary space, never the composer's no-break one. */
function hasPointerUnderCursor(screen: Screen): boolean {
  const { x, y, visible } = screen.cursor;
  return !visible && /^❯ \S/u.test(rowAt(screen, y).text.slice(x));
}

function invites(screen: Screen): boolean {
  return lastRows(screen, 3).some((row) => INVITATION.test(row.text));
}

/** The dialog begins under the first rule after the conversation's last mark. */
function firstDialogRow(screen: Screen): number {
  let start = 0;
  let ruleSeen = false;
  for (let y = 0; y < screen.rows; y += 1) {
    const { text } = rowAt(screen, y);
    if (/^(?:[●✻⎿]| {2}⎿)/u.test(text)) {
      start = y + 1;
      ruleSeen = false;
    } else if (!ruleSeen && /^[─▔]{4,}/u.test(text)) {
      start = y + 1;
      ruleSeen = true;
    }
  }
  return start;
}
