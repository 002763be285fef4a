import type { Reading } from "../core/readiness/reading.ts";
import type { Screen } from "../core/readiness/screen.ts";
import type { ShownSign } from "../core/readiness/shown-sign.ts";
import type { PromptLimits } from "../core/text/prompt.ts";
import type { ProcessInfo } from "./processes.ts";
import type { Stroke } from "./terminal.ts";

export type { PromptLimits };

/** How a prompt goes in by keys. */
export interface Injection {
  readonly strokes: readonly Stroke[];
  /**
   * Present when text and submit cannot share one step: the second step is gated on the cursor standing
   * where our text ends. Absent for programs whose recipe is one write.
   */
  readonly submit?: readonly Stroke[];
  readonly submitDelayMs?: number;
}

/** How a person's unsent text is set aside and brought back. */
export type DraftKeeping =
  /** The program stashes it, shows that it has, and brings it back by itself after the submit. */
  | {
      readonly how: "stash";
      /** Its effect must be seen before anything is typed: in some releases text of the same write joins the draft. */
      readonly clear: readonly Stroke[];
      /** Stash, text and submit in one write; absent unless this very release is proven to keep them apart. */
      injectOverDraft?(prompt: string): Injection;
      /** Brings the stash back into an empty composer, should the program not have done it by itself. */
      readonly pop: readonly Stroke[];
    }
  /** Clearing puts it into the program's history; `recall` goes back by one entry. */
  | { readonly how: "history"; readonly clear: readonly Stroke[]; readonly recall: readonly Stroke[] }
  /** One unwrapped line that the screen shows exactly: cleared, and pasted again. */
  | { readonly how: "retype"; readonly clear: readonly Stroke[]; retype(text: string): readonly Stroke[] }
  | { readonly how: "none"; readonly why: string };

export interface InterruptKey {
  readonly strokes: readonly Stroke[];
  /** Another press is safe while it is still busy. */
  readonly repeatable: boolean;
}

/** A process that a profile knows. */
export interface RecognisedProgram {
  readonly program: string;
  readonly process: ProcessInfo;
}

/** Which programs, if any, run in a terminal's process tree: the one in front first, then those suspended under it. */
export type Recognise = (tree: readonly ProcessInfo[]) => readonly RecognisedProgram[];

/** What Bellhop knows of one agent program's screens and keys. Pure: it reads data and names keys, it does nothing. */
export interface Profile {
  readonly name: string;
  /** The process of this program in a terminal's tree, if it is there. */
  recognise(tree: readonly ProcessInfo[]): ProcessInfo | undefined;
  read(screen: Screen): Reading;
  /** Of a screen that reads as busy: what on it says so; undefined where no terminal could look for it again. */
  workSign(screen: Screen): ShownSign | undefined;
  /** What the screen must be for keys to go in. */
  readonly gate: { readonly alternate?: boolean; readonly cursorHidden?: boolean };
  limits(version: string | undefined): PromptLimits;
  /** How raw text goes into the composer when keys follow it in the same step. */
  readonly rawText: "plain" | "bracketed";
  /** `over`: what was just read there. Claude's erase key would kill a draft that its stash brings back. */
  inject(prompt: string, over: Reading): Injection;
  /**
   * With a reading: whether this very draft can be set aside, `none` over an empty composer (there Claude's stash
   * key would pop an older stash into the message, and Codex's Ctrl+C would end Codex). Without: what the version
   * can do at all, for bringing a draft back.
   */
  draftKeeping(version: string | undefined, reading?: Reading): DraftKeeping;
  /** Removes the row before the caret, and nothing where none is left; absent where the program never needs it. */
  readonly eraseRow?: readonly Stroke[];
  readonly interrupt: InterruptKey | undefined;
  /** Closes a dialog without answering it; absent where none is proven. */
  readonly dismiss: readonly Stroke[] | undefined;
  /** After a turn's end the program is not ready at once. */
  readonly settleMs: number;
  /** A terminal title without spinner and program name, for the headline; empty when nothing is left. */
  headlineFromTitle(title: string): string;
  /** "bellhop hooks install" knows it. */
  readonly hookable: boolean;
  /** Its sandbox stops whatever is not one plain command of ours. */
  readonly sandboxed: boolean;
  /** It has an inbox of its own, which the office finds by the program's name. */
  readonly inbox: boolean;
}
