import type { Instant } from "../core/message.ts";
import type { Carried } from "../core/text/whole-prompt.ts";
import type { ProgramFacts } from "./program.ts";

export type TranscriptFinding =
  /** `queued`: the program has recorded that it holds the text for a later turn. */
  | { readonly kind: "found"; readonly as: "turn" | "queued" }
  /** There is such a turn, but with text that is not ours. */
  | { readonly kind: "mixed" }
  /** Everything since the attempt was read, and there is no such turn. */
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly why: string };

export interface SoughtPrompt {
  readonly token: string;
  carriedBy(text: string): Carried;
}

export interface Utterance {
  /** `prompt`: its input, from a person or from us. `tool`: what it did, in one line. */
  readonly by: "prompt" | "agent" | "tool";
  readonly text: string;
  readonly at?: Instant;
  /** The text was cut. */
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

/** A text in a file that an agent was told to read. */
export interface SoughtText {
  readonly id: string;
  /** Each of these files contains it. */
  readonly files: readonly string[];
  /** Whether a tool's answer is that text. */
  shows(text: string): boolean;
}

/** The agent's own session file: as a witness, and as a conversation. */
export interface Transcripts {
  /** The newest `most` utterances. */
  conversation(program: string, path: string | undefined, most: number): Promise<ConversationReading>;
  /** Whether a user turn since `sinceMs` is this prompt. */
  find(
    program: string,
    facts: ProgramFacts,
    prompt: SoughtPrompt,
    sinceMs: number,
  ): Promise<TranscriptFinding>;
  /**
   * How the turn ended whose end a hook reported at that time. `as-told`: the hook of this program says enough.
   * `unknown`: nobody can tell.
   */
  ending(
    program: string,
    path: string | undefined,
    toldAt: Instant,
  ): Promise<"as-told" | "whole" | "broken" | "unknown">;
  /** The ids of those that a tool has shown the agent since `sinceMs`; none if the file cannot be read. */
  opened(
    program: string,
    facts: ProgramFacts,
    sought: readonly SoughtText[],
    sinceMs: number,
  ): Promise<ReadonlySet<string>>;
}
