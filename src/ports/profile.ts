import type { Reading } from "../core/readiness/reading.ts";
import type { Screen } from "../core/readiness/screen.ts";
import type { ShownSign } from "../core/readiness/shown-sign.ts";
import type { PromptLimits } from "../core/text/prompt.ts";
import type { HookAnswers } from "./hook-answers.ts";
import type { ProcessInfo } from "./processes.ts";
import type { Stroke } from "./terminal.ts";

export type { PromptLimits };

/** How a prompt is typed. */
export interface Injection {
  readonly strokes: readonly Stroke[];
  /**
   * Set if text and submit cannot share one step: the second step is gated on the cursor being where our text ends.
   * Absent for programs that take both in one write.
   */
  readonly submit?: readonly Stroke[];
  readonly submitDelayMs?: number;
  /** The composer is read whole, however many rows it has; otherwise a text that must be seen first fits into one. */
  readonly readWhole?: true;
}

/** How a person's unsent text is set aside and brought back. */
export type DraftKeeping =
  /** The program stashes it, shows that it has, and restores it by itself after the submit. */
  | {
      readonly how: "stash";
      /** Its effect must be seen before typing: in some releases, text in the same write joins the draft. */
      readonly clear: readonly Stroke[];
      /** Stash, text and submit in one write; absent unless this release is proven to keep them apart. */
      injectOverDraft?(prompt: string): Injection;
      /** Restores the stash into an empty composer, if the program has not done so by itself. */
      readonly pop: readonly Stroke[];
    }
  /** Clearing puts it into the program's history; `recall` goes back by one entry. */
  | { readonly how: "history"; readonly clear: readonly Stroke[]; readonly recall: readonly Stroke[] }
  /** One unwrapped line that the screen shows exactly: it is cleared, and pasted again later. */
  | { readonly how: "retype"; readonly clear: readonly Stroke[]; retype(text: string): readonly Stroke[] }
  | { readonly how: "none"; readonly why: string };

export interface InterruptKey {
  readonly strokes: readonly Stroke[];
  /** Pressing it again is safe while the program is still busy. */
  readonly repeatable: boolean;
  /** The first press only arms it: it is pressed again after this time. */
  readonly againMs?: number;
}

/** A process that a profile knows. */
export interface RecognisedProgram {
  readonly program: string;
  readonly process: ProcessInfo;
}

/** The known programs in a terminal's process tree: the one in front first, then those suspended under it. */
export type Recognise = (tree: readonly ProcessInfo[]) => readonly RecognisedProgram[];

/** What Bellhop knows about one agent program's screens and keys. Pure: it reads data and names keys. */
export interface Profile {
  readonly name: string;
  /** The releases on which it was proven, oldest first; absent for a program that the owner taught. */
  readonly proven?: readonly string[];
  /** This program's process in a terminal's tree, if any. */
  recognise(tree: readonly ProcessInfo[]): ProcessInfo | undefined;
  read(screen: Screen): Reading;
  /** For a busy screen: the text that says so; undefined if a terminal could not look for it again. */
  workSign(screen: Screen): ShownSign | undefined;
  /** What must hold for the screen before keys are typed. */
  readonly gate: { readonly alternate?: boolean; readonly cursorHidden?: boolean };
  limits(version: string | undefined): PromptLimits;
  /** How raw text is typed if keys follow it in the same step. */
  readonly rawText: "plain" | "bracketed";
  /** Set if keys right behind a text would be a part of it: they follow this much later, once the text is seen. */
  readonly rawKeysDelayMs?: number;
  /** `over`: the last reading. Claude's erase key would delete a draft that its stash brings back. */
  inject(prompt: string, over: Reading): Injection;
  /**
   * With a reading: whether this draft can be set aside; `none` over an empty composer (there Claude's stash key would
   * pop an older stash into the message, and Codex's Ctrl+C would end Codex). Without a reading: what the version can
   * do at all, for restoring a draft.
   */
  draftKeeping(version: string | undefined, reading?: Reading): DraftKeeping;
  /** Removes the row before the caret, or nothing if there is none; absent if the program never needs it. */
  readonly eraseRow?: readonly Stroke[];
  readonly interrupt: InterruptKey | undefined;
  /** Closes a dialog without answering it; absent if no key is proven to. */
  readonly dismiss: readonly Stroke[] | undefined;
  /** How long after the end of a turn the program is not ready yet. */
  readonly settleMs: number;
  /** The terminal title without spinner and program name, for the headline; empty if nothing is left. */
  headlineFromTitle(title: string): string;
  /** Whether "bellhop hooks install" supports it. */
  readonly hookable: boolean;
  /** A prompt is reported when it is too late to refuse it. */
  readonly promptHook?: "only-tells";
  /** Its sandbox blocks everything but a single plain command of ours. */
  readonly sandboxed: boolean;
  /** It has its own inbox, which the office finds by the program's name. */
  readonly inbox: boolean;
  /** How it takes text in the answers to its hooks; absent if it takes none. */
  readonly hookAnswers?: HookAnswers;
  /** What its inbox takes reaches the model as its user's own words; other inboxes say that somebody else sent it. */
  readonly inboxSpeaksAs?: "user";
  /** No message is ever typed into its composer: it takes its inbox, or waits. */
  readonly composer?: "persons-only";
}
