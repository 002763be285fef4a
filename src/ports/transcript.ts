import type { Instant } from "../core/message.ts";
import type { Carried } from "../core/text/whole-prompt.ts";
import type { ProgramFacts } from "./program.ts";

export type TranscriptFinding =
  /** `queued`: the program has written down that it holds the text for a later turn. */
  | { readonly kind: "found"; readonly as: "turn" | "queued" }
  /** There is such a turn, but with text that is not ours. */
  | { readonly kind: "mixed" }
  /** The whole stretch since the attempt was read and has no such turn. */
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly why: string };

export interface SoughtPrompt {
  readonly token: string;
  carriedBy(text: string): Carried;
}

export interface Utterance {
  /** `prompt`: whatever it was given, by a person or by us. `tool`: what it did, in one line. */
  readonly by: "prompt" | "agent" | "tool";
  readonly text: string;
  readonly at?: Instant;
  /** It is longer than this. */
  readonly cut?: true;
}

export type ConversationReading =
  | {
      readonly kind: "read";
      readonly file: string;
      /** Oldest first. */
      readonly utterances: readonly Utterance[];
      /** There are older ones. */
      readonly more: boolean;
    }
  | { readonly kind: "unreadable"; readonly why: string };

/** A text in a file, which an agent was told to read. */
export interface SoughtText {
  readonly id: string;
  /** Each of them has it. */
  readonly files: readonly string[];
  /** Whether what a tool answered is that text. */
  shows(text: string): boolean;
}

/** The agent's own session file: a witness, and what was said. */
export interface Transcripts {
  /** The newest so many. */
  conversation(program: string, path: string | undefined, most: number): Promise<ConversationReading>;
  /** Is there a user turn since `sinceMs` that is this prompt? */
  find(
    program: string,
    facts: ProgramFacts,
    prompt: SoughtPrompt,
    sinceMs: number,
  ): Promise<TranscriptFinding>;
  /** Which of them a tool of the agent has shown it since `sinceMs`, by id. None where the file cannot be read. */
  opened(
    program: string,
    facts: ProgramFacts,
    sought: readonly SoughtText[],
    sinceMs: number,
  ): Promise<ReadonlySet<string>>;
}
