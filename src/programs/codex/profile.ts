import type { Reading } from "../../core/readiness/reading.ts";
import type { Screen } from "../../core/readiness/screen.ts";
import type { ShownSign } from "../../core/readiness/shown-sign.ts";
import type { DraftKeeping, Injection, Profile, PromptLimits } from "../../ports/profile.ts";
import { rowAt, rowsAbove } from "../../screens/screen-rows.ts";
import { unknown } from "../screen-reading.ts";
import {
  ENTER_EXTENDED,
  ERASE_LINE,
  NEW_LINE_EXTENDED,
  PASTE_BEGINS,
  PASTE_ENDS,
  press,
  requireTypeable,
  send,
} from "../strokes.ts";
import { hasSpinnerInTitle, signAmong, signInTitle } from "../work-sign.ts";
import { type CodexComposer, findCodexComposer, readCodexDraft } from "./composer.ts";
import { findCodexDialog } from "./dialog.ts";
import { codexAnswers } from "./hooks/answers.ts";
import { findCodex } from "./process.ts";

/** A longer paste collapses into a placeholder; the limits match Claude's, so that one prompt fits both. */
const LIMITS: PromptLimits = { maxCharacters: 790, maxNewlines: 2, newlines: true };

/** How many rows above the composer may say what Codex is doing. */
const ROWS_OF_WORK = 6;

const INTERRUPTIBLE = /\besc to interrupt\b/u;
const QUEUES = /\btab to queue message\b/u;

/** Footers under an empty composer that takes text; browsing or searching the transcript keeps the placeholder. */
const TAKES_TEXT = /^ {2}(?:(?:← for agents · )?\?|esc again to edit previous message)/u;

export const codexProfile: Profile = {
  name: "codex",
  recognise: findCodex,
  read: readCodex,
  workSign: codexWorkSign,
  gate: { alternate: true },
  limits: () => LIMITS,
  // Plain text counts as fast typing here, and the Enter after it as a new line.
  rawText: "bracketed",
  inject,
  draftKeeping,
  // Once: a second Escape over an idle composer starts to edit an earlier message.
  interrupt: { strokes: [press("Escape")], repeatable: false },
  dismiss: [press("Escape")],
  settleMs: 600,
  headlineFromTitle,
  hookable: true,
  sandboxed: true,
  inbox: true,
  hookAnswers: codexAnswers,
};

function readCodex(screen: Screen): Reading {
  if (screen.dead) return unknown("its program has ended");
  const dialog = findCodexDialog(screen);
  if (dialog !== undefined) return dialog;
  if (!screen.alternate)
    return unknown("it does not use the alternate screen (started with --no-alt-screen?)");
  const composer = findCodexComposer(screen);
  if (composer === undefined) {
    const shell = screen.cursor.visible && rowAt(screen, screen.cursor.y).text.startsWith("!");
    return unknown(shell ? "a shell command stands in its composer" : "no composer with the cursor in it");
  }
  const obstacle = obstacleIn(composer, screen);
  if (obstacle !== undefined) return unknown(obstacle);
  const draft = readCodexDraft(composer, screen);
  if (draft === undefined) return unknown("its composer shows neither a text nor its placeholder");
  const hint = composer.footer.at(-1)?.text ?? "";
  if (draft.kind === "empty" && !TAKES_TEXT.test(hint)) return unknown(`its footer says "${hint.trim()}"`);
  return {
    kind: "composer",
    draft,
    busy: isBusy(composer, screen) ? "busy" : "unseen",
    stash: "none",
    caret: { x: screen.cursor.x, y: screen.cursor.y },
  };
}

function obstacleIn({ footer, first }: CodexComposer, screen: Screen): string | undefined {
  const text = footer.map((row) => row.text).join("\n");
  // Measured: text pasted now is lost. The line with the model and the folder appears once the session is ready.
  if (/^\s*\? for shortcuts/u.test(text) || /\bWaiting for startup\b/u.test(text))
    return "it is still starting";
  const mode = /\bVim: (\w+)/u.exec(text)?.[1];
  if (mode !== undefined && mode !== "Insert") return `its editor is in ${mode} mode`;
  const above = rowsAbove(screen, first, ROWS_OF_WORK);
  if (above.some((row) => /^• Reconnecting to server/u.test(row.text))) return "it has lost its server";
  return undefined;
}

/** The title's spinner can be switched off, so its absence proves nothing. */
function isBusy({ footer, first }: CodexComposer, screen: Screen): boolean {
  if (hasSpinnerInTitle(screen) || footer.some((row) => QUEUES.test(row.text))) return true;
  return rowsAbove(screen, first, ROWS_OF_WORK).some((row) => INTERRUPTIBLE.test(row.text));
}

function codexWorkSign(screen: Screen): ShownSign | undefined {
  const composer = findCodexComposer(screen);
  if (composer === undefined) return undefined;
  return (
    signAmong(screen, rowsAbove(screen, composer.first, ROWS_OF_WORK), INTERRUPTIBLE) ??
    signAmong(screen, composer.footer, QUEUES) ??
    signInTitle(screen)
  );
}

/**
 * One write without CR or LF. Bracketed, because plain text triggers Codex's detection of fast typing; several lines
 * are several pastes, joined by the key for a new line.
 */
function inject(prompt: string): Injection {
  requireTypeable(prompt);
  const lines = prompt.split("\n");
  const after = send(ENTER_EXTENDED, ERASE_LINE);
  if (lines.length === 1) return { strokes: [{ kind: "paste", text: prompt, bracketed: true }, after] };
  const text = lines.map((line) => PASTE_BEGINS + line + PASTE_ENDS).join(NEW_LINE_EXTENDED);
  return { strokes: [{ kind: "paste", text, bracketed: false }, after] };
}

/**
 * Ctrl+C moves the draft into the history, where each Up goes back by one. Over an empty composer Ctrl+C ends Codex at
 * once, so these strokes belong inside a gate at the caret of a draft that was just read.
 */
function draftKeeping(_version: string | undefined, reading?: Reading): DraftKeeping {
  const obstacle = reading === undefined ? undefined : whyNotHistory(reading);
  if (obstacle !== undefined) return { how: "none", why: obstacle };
  return { how: "history", clear: [press("C-c")], recall: [press("Up")] };
}

function whyNotHistory(reading: Reading): string | undefined {
  if (reading.kind !== "composer" || reading.draft.kind === "empty") return "there is no draft to set aside";
  const { text } = reading.draft;
  // If the completion list is open, the key only closes that list.
  if (text.startsWith("/") || /(?:^|\s)@\S*$/u.test(text))
    return "a list of completions is open over its composer";
  return text.trim() === "" ? "only blanks stand in its composer" : undefined;
}

/** Spinner or question, then the names of thread and folder; a folder alone says less than the last prompt. */
function headlineFromTitle(title: string): string {
  const parts = title
    .replace(/^(?:[\u2801-\u28ff]|\[ [.!] \] Action Required \|)\s*/u, "")
    .split(" | ")
    .map((part) => part.trim());
  return parts.length > 1 ? (parts[0] ?? "") : "";
}
