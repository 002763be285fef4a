import type { Reading } from "../../core/readiness/reading.ts";
import type { Screen } from "../../core/readiness/screen.ts";
import type { DraftKeeping, Injection, Profile, PromptLimits } from "../../ports/profile.ts";
import { unknown } from "../screen-reading.ts";
import {
  ENTER_EXTENDED,
  ERASE_LINE,
  FOCUS_IN,
  press,
  requireTypeable,
  STASH_EXTENDED,
  send,
} from "../strokes.ts";
import { findClaudeComposer, readClaudeDraft } from "./composer.ts";
import { findClaudeDialog, invites } from "./dialog.ts";
import { claudeAnswers } from "./hooks/answers.ts";
import { findClaude } from "./process.ts";
import { claudeBusy, claudeObstacle, claudeStash, claudeWorkSign } from "./signs.ts";
import { knownOfClaude } from "./versions.ts";

/** A longer paste collapses into a placeholder, and a person's key could then end up in it. */
const MOST_CHARACTERS = 790;
const MOST_NEWLINES = 2;
const LINE_SEPARATOR = "\u2028";

export interface ClaudeOptions {
  /**
   * The person's `editorMode`. With `vim`, the screen looks the same in NORMAL mode, where text is taken for commands,
   * as in an ordinary composer: then only INSERT mode counts as a composer.
   */
  readonly editing: "plain" | "vim";
}

export function createClaudeProfile(options: ClaudeOptions): Profile {
  return {
    name: "claude",
    recognise: findClaude,
    read: (screen) => readClaude(screen, options),
    workSign(screen) {
      const composer = findClaudeComposer(screen);
      return composer === undefined ? undefined : claudeWorkSign(composer, screen);
    },
    // Not `alternate`: 2.1.197 draws on the main screen. The cursor stays hidden on both.
    gate: { cursorHidden: true },
    limits: limitsOf,
    rawText: "plain",
    inject,
    draftKeeping,
    eraseRow: [send(ERASE_LINE)],
    // Once: a second Escape over an empty composer opens the rewind dialog.
    interrupt: { strokes: [press("Escape")], repeatable: false },
    dismiss: [press("Escape")],
    settleMs: 600,
    headlineFromTitle,
    hookable: true,
    sandboxed: false,
    inbox: true,
    hookAnswers: claudeAnswers,
  };
}

export const claudeProfile: Profile = createClaudeProfile({ editing: "plain" });

function readClaude(screen: Screen, { editing }: ClaudeOptions): Reading {
  if (screen.dead) return unknown("its program has ended");
  const composer = findClaudeComposer(screen);
  if (composer === undefined) return findClaudeDialog(screen) ?? unknown("no composer with the cursor in it");
  if (invites(composer.footer)) return unknown("it shows a composer and a dialog");
  const obstacle = claudeObstacle(composer, screen, editing);
  if (obstacle !== undefined) return unknown(obstacle);
  return {
    kind: "composer",
    draft: readClaudeDraft(composer, screen),
    busy: claudeBusy(composer, screen),
    stash: claudeStash(composer, screen),
    caret: { x: screen.cursor.x, y: screen.cursor.y },
  };
}

function limitsOf(version: string | undefined): PromptLimits {
  const newlines = knownOfClaude(version).lines === "several";
  return { maxCharacters: MOST_CHARACTERS, maxNewlines: newlines ? MOST_NEWLINES : 0, newlines };
}

/**
 * One write without CR or LF. Not bracketed, because Claude handles a bracketed paste late, and a person's next key
 * would join it. A stash returns by itself after the submit; the erase key would delete it, so it is left out then.
 */
function inject(prompt: string, over: Reading): Injection {
  const stashed = over.kind === "composer" && over.stash !== "none";
  const after = stashed ? send(ENTER_EXTENDED) : send(ENTER_EXTENDED, ERASE_LINE, FOCUS_IN);
  return { strokes: [typed(prompt), after] };
}

function draftKeeping(version: string | undefined, reading?: Reading): DraftKeeping {
  const obstacle = reading === undefined ? undefined : whyNotStash(reading);
  if (obstacle !== undefined) return { how: "none", why: obstacle };
  const careful = { how: "stash", clear: [send(STASH_EXTENDED)], pop: [send(STASH_EXTENDED)] } as const;
  if (knownOfClaude(version).stash === "seen-first") return careful;
  return {
    ...careful,
    // No erase key at the end: by then the draft is back in the composer.
    injectOverDraft: (prompt) => ({ strokes: [send(STASH_EXTENDED), typed(prompt), send(ENTER_EXTENDED)] }),
  };
}

/** There is only one slot: over an empty composer, the stash key would restore an older stash into the message. */
function whyNotStash(reading: Reading): string | undefined {
  if (reading.kind !== "composer" || reading.draft.kind === "empty") return "there is no draft to set aside";
  if (reading.stash !== "none") return "its stash may already hold another draft";
  if (reading.draft.text.startsWith("!")) return "a shell command stands in its composer";
  return undefined;
}

function typed(prompt: string) {
  requireTypeable(prompt);
  return { kind: "paste", text: prompt.replaceAll("\n", LINE_SEPARATOR), bracketed: false } as const;
}

function headlineFromTitle(title: string): string {
  const words = title.replace(/^[✳✻✶✢✽·*\u2801-\u28ff\s]+/u, "").trim();
  return words === "Claude Code" || words === "claude" ? "" : words;
}
