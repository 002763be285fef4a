import type { Reading } from "../../core/readiness/reading.ts";
import type { Screen } from "../../core/readiness/screen.ts";
import type { ShownSign } from "../../core/readiness/shown-sign.ts";
import type { Injection, Profile, PromptLimits } from "../../ports/profile.ts";
import { unknown } from "../screen-reading.ts";
import { press, requireTypeable } from "../strokes.ts";
import { signAmong } from "../work-sign.ts";
import { findOpencodeComposer, readOpencodeDraft } from "./composer.ts";
import { findOpencodeDialog } from "./dialog.ts";
import { findOpencode } from "./process.ts";

/** A longer paste collapses into a placeholder. */
const LIMITS: PromptLimits = { maxCharacters: 140, maxNewlines: 1, newlines: true };

const INTERRUPTIBLE = /\besc (?:again to )?interrupt\b/u;
const TITLE = /^OC \| /u;

export const opencodeProfile: Profile = {
  name: "opencode",
  recognise: findOpencode,
  read: readOpencode,
  workSign,
  gate: { alternate: true },
  limits: () => LIMITS,
  rawText: "bracketed",
  inject,
  draftKeeping: () => ({ how: "none", why: "OpenCode has no place for a text that is not sent" }),
  // The first asks whether it is meant, the second interrupts; over an idle composer neither does anything.
  interrupt: { strokes: [press("Escape")], repeatable: true, againMs: 500 },
  dismiss: undefined,
  settleMs: 600,
  headlineFromTitle: (title) => (TITLE.test(title) ? title.replace(TITLE, "").trim() : ""),
  hookable: true,
  promptHook: "only-tells",
  sandboxed: false,
  inbox: true,
  inboxSpeaksAs: "user",
  // A key that comes while a text is pasted lands in front of it, and the draft cannot be set aside.
  composer: "persons-only",
};

function readOpencode(screen: Screen): Reading {
  if (screen.dead) return unknown("its program has ended");
  const dialog = findOpencodeDialog(screen);
  if (dialog !== undefined) return dialog;
  if (!screen.alternate) return unknown("it does not use the alternate screen");
  const composer = findOpencodeComposer(screen);
  if (composer === undefined) return unknown("no composer with the cursor in it");
  return {
    kind: "composer",
    draft: readOpencodeDraft(composer, screen),
    busy: INTERRUPTIBLE.test(composer.footer.text) ? "busy" : "unseen",
    stash: "none",
    caret: { x: screen.cursor.x, y: screen.cursor.y },
  };
}

function workSign(screen: Screen): ShownSign | undefined {
  const composer = findOpencodeComposer(screen);
  return composer === undefined ? undefined : signAmong(screen, [composer.footer], INTERRUPTIBLE);
}

function inject(prompt: string): Injection {
  requireTypeable(prompt);
  return { strokes: [{ kind: "paste", text: prompt, bracketed: true }], submit: [press("Enter")] };
}
