import { BellhopError } from "../../core/errors.ts";
import type { Reading } from "../../core/readiness/reading.ts";
import type { DraftKeeping, Injection, Profile } from "../../ports/profile.ts";
import { ENTER_EXTENDED, ERASE_LINE, press, requireTypeable, send } from "../strokes.ts";
import { opaqueProfile } from "./opaque.ts";
import { findNamedProgram, findTaughtProgram } from "./process.ts";
import { genericWorkSign, readGenericScreen } from "./screen.ts";
import { compileScreenPattern } from "./screen-pattern.ts";

/** A program that the owner taught Bellhop in the config. */
export interface GenericDefinition {
  readonly name: string;
  /** `command`: a part of a command line in the terminal's process tree. `name`: exactly the name of a program there. */
  readonly match: { readonly command: string } | { readonly name: string };
  /**
   * `prompt`: on the cursor's line; what follows the match is the draft. `above`: on the line above it; with it, the draft
   * may begin at the edge. `placeholder`: what an empty composer shows, if that is not dim.
   */
  readonly composer: { readonly prompt?: string; readonly above?: string; readonly placeholder?: string };
  /** Matched against any line of the screen. */
  readonly busy?: string;
  readonly dialog?: string;
  readonly keys: {
    /** A key's name, or `enter-csi-u` for a program that understands the extended key encoding. */
    readonly submit: string;
    readonly interrupt?: string;
    readonly clear?: string;
  };
  readonly submitDelayMs: number;
}

const EXTENDED_ENTER = "enter-csi-u";

export function genericProfile(definition: GenericDefinition): Profile {
  const { name, match, composer, busy, dialog, keys } = definition;
  const where = `profiles.${name}`;
  const sought = "command" in match ? match.command : match.name;
  if (sought.trim() === "")
    throw invalid(`${where}.match.${"command" in match ? "command" : "name"} is empty`);
  if (composer.prompt === undefined && composer.above === undefined)
    throw invalid(`${where}.composer names neither a prompt nor the line above it`);
  if (keys.submit !== EXTENDED_ENTER) requireKey(keys.submit, `${where}.keys.submit`);
  if (keys.clear !== undefined) requireKey(keys.clear, `${where}.keys.clear`);
  if (keys.interrupt !== undefined) requireKey(keys.interrupt, `${where}.keys.interrupt`);
  if (keys.interrupt === "C-c") throw invalid(`${where}.keys.interrupt: C-c ends too many programs`);
  const pattern = (source: string | undefined, key: string) =>
    source === undefined ? undefined : compileScreenPattern(source, `${where}.${key}`);
  const signs = {
    prompt: pattern(composer.prompt, "composer.prompt"),
    above: pattern(composer.above, "composer.above"),
    placeholder: composer.placeholder,
    busy: pattern(busy, "busy"),
    dialog: pattern(dialog, "dialog"),
  };
  return {
    ...opaqueProfile,
    name,
    recognise: (tree) =>
      "command" in match ? findTaughtProgram(tree, match.command) : findNamedProgram(tree, match.name),
    read: (screen) => readGenericScreen(screen, signs),
    workSign: (screen) => genericWorkSign(screen, signs),
    inject: (prompt) => injectionOf(prompt, definition),
    draftKeeping: (_version, reading) => draftKeeping(keys.clear, reading),
    interrupt:
      keys.interrupt === undefined ? undefined : { strokes: [press(keys.interrupt)], repeatable: false },
    headlineFromTitle: (title) => headlineFromTitle(title, definition),
  };
}

function injectionOf(prompt: string, { keys, submitDelayMs }: GenericDefinition): Injection {
  requireTypeable(prompt);
  if (prompt.includes("\n")) {
    throw new BellhopError("internal.bug", {
      message: "A prompt of several lines was about to be typed into a taught program.",
      next: `Nothing was typed. Report this with the output of "bellhop logs".`,
    });
  }
  const text = { kind: "paste", text: prompt, bracketed: true } as const;
  if (keys.submit === EXTENDED_ENTER) return { strokes: [text, send(ENTER_EXTENDED, ERASE_LINE)] };
  return { strokes: [text], submit: [press(keys.submit)], ...(submitDelayMs > 0 ? { submitDelayMs } : {}) };
}

/** Only one line, entirely visible, with the caret at its end: anything else could not be typed again. */
function draftKeeping(clear: string | undefined, reading: Reading | undefined): DraftKeeping {
  if (clear === undefined) return { how: "none", why: "no key that clears its composer is configured" };
  const draft = reading?.kind === "composer" ? reading.draft : undefined;
  if (reading !== undefined && !(draft?.kind === "text" && draft.exact && draft.lines === 1)) {
    return { how: "none", why: "the screen does not show exactly what was typed" };
  }
  return {
    how: "retype",
    clear: [press(clear)],
    retype: (text) => [{ kind: "paste", text, bracketed: true }],
  };
}

function headlineFromTitle(title: string, { name, match }: GenericDefinition): string {
  const words = title.replace(/^[^\p{L}\p{N}]+/u, "").trim();
  return [name, "command" in match ? match.command : match.name].includes(words) ? "" : words;
}

/** Names that a terminal sends as a key; any other word would be typed letter by letter. */
function requireKey(key: string, where: string): void {
  const named =
    /^(?:[CMS]-){0,3}(?:Enter|Escape|Tab|BTab|Space|BSpace|Up|Down|Left|Right|Home|End|IC|DC|NPage|PPage|F(?:[1-9]|1[0-2]))$/u;
  const withModifier = /^(?:[CMS]-){1,3}[\x21-\x7e]$/u;
  if (named.test(key) || withModifier.test(key)) return;
  throw invalid(`${where}: "${key}" is not a key`);
}

function invalid(message: string): BellhopError {
  return new BellhopError("config.invalid", {
    message: `${message}.`,
    next: `Correct it in config.yaml; keys are named like Enter, Escape, C-u, or ${EXTENDED_ENTER}.`,
  });
}
