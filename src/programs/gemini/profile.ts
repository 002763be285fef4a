import type { Reading } from "../../core/readiness/reading.ts";
import type { Screen } from "../../core/readiness/screen.ts";
import type { ShownSign } from "../../core/readiness/shown-sign.ts";
import type { Injection, Profile, PromptLimits } from "../../ports/profile.ts";
import { rowsAbove } from "../../screens/screen-rows.ts";
import { unknown } from "../screen-reading.ts";
import { press, requireTypeable } from "../strokes.ts";
import { signAmong } from "../work-sign.ts";
import { findGeminiComposer, readGeminiDraft } from "./composer.ts";
import { findGeminiDialog } from "./dialog.ts";
import { geminiAnswers } from "./hooks/answers.ts";
import { findGemini } from "./process.ts";

/**
 * A longer paste collapses into a placeholder, and then it cannot be seen whether it is ours. `@` takes the file of
 * that name into the prompt, asks about one outside, and puts a blank into an address (fixtures: dialog-read-outside).
 */
const LIMITS: PromptLimits = { maxCharacters: 480, maxNewlines: 2, newlines: true, actsOn: "@" };

/**
 * An Enter within 40 ms of a paste is a new line: 24 of 24 within 20 ms, none after 100 ms. On a busy machine it can
 * still be one half a second after the text was drawn; then it is seen, and pressed again.
 */
const SUBMIT_DELAY_MS = 250;

/** How many rows above the composer may say what Gemini is doing. */
const ROWS_OF_WORK = 6;
const CANCELLABLE = /\(esc to cancel\b/u;
const WORKING = /^✦\s+Working…/u;
const READY = /^◇\s+Ready\b/u;
const SHELL_MODE = "!";

export const geminiProfile: Profile = {
  name: "gemini",
  recognise: findGemini,
  read: readGemini,
  workSign,
  gate: { cursorHidden: true },
  limits: () => LIMITS,
  rawText: "bracketed",
  rawKeysDelayMs: SUBMIT_DELAY_MS,
  inject,
  draftKeeping: () => ({ how: "none", why: "Gemini CLI has no place for a text that is not sent" }),
  // Once: a second Escape clears a draft, or goes back in the conversation.
  interrupt: { strokes: [press("Escape")], repeatable: false },
  dismiss: [press("Escape")],
  settleMs: 600,
  headlineFromTitle: () => "",
  hookable: true,
  // Not a sandbox, but its rules: whatever is around a plain command makes it ask.
  sandboxed: true,
  inbox: false,
  hookAnswers: geminiAnswers,
};

function readGemini(screen: Screen): Reading {
  if (screen.dead) return unknown("its program has ended");
  const composer = findGeminiComposer(screen);
  const dialog = composer === undefined ? findGeminiDialog(screen) : undefined;
  if (dialog !== undefined) return dialog;
  if (composer === undefined) return unknown("no composer with the caret in it");
  if (composer.mark === SHELL_MODE) return unknown("what is typed into its composer is run by a shell");
  const draft = readGeminiDraft(composer, screen);
  if (draft === undefined) return unknown("its composer shows neither a text nor its placeholder");
  const busy = standingOf(screen, composer.first);
  return {
    kind: "composer",
    draft,
    busy,
    // No hook tells that a person has rejected what it asked; the title does.
    ...(busy === "idle" ? { saysReady: true } : {}),
    stash: "none",
    caret: { x: screen.cursor.x, y: screen.cursor.y },
  };
}

/** The title can be switched off, so its absence proves nothing. */
function standingOf(screen: Screen, first: number): "busy" | "idle" | "unseen" {
  const isCancellable = rowsAbove(screen, first, ROWS_OF_WORK).some((row) => CANCELLABLE.test(row.text));
  if (isCancellable || WORKING.test(screen.title)) return "busy";
  return READY.test(screen.title) ? "idle" : "unseen";
}

function workSign(screen: Screen): ShownSign | undefined {
  const composer = findGeminiComposer(screen);
  if (composer === undefined) return undefined;
  if (WORKING.test(screen.title)) return { in: "title", text: screen.title };
  return signAmong(screen, rowsAbove(screen, composer.first, ROWS_OF_WORK), CANCELLABLE);
}

/** In brackets: of plain text that comes at once, a `!` in the middle switches to its shell (seen in 0.61.0). */
function inject(prompt: string): Injection {
  requireTypeable(prompt);
  return {
    strokes: [{ kind: "paste", text: prompt, bracketed: true }],
    submit: [press("Enter")],
    submitDelayMs: SUBMIT_DELAY_MS,
    readWhole: true,
  };
}
