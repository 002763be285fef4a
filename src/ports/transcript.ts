import type { Carried } from "../core/whole-prompt.ts";
import type { ProgramFacts } from "./inbox.ts";

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

/** The agent's own session file as a witness. */
export interface Transcripts {
  /** Is there a user turn since `sinceMs` that is this prompt? */
  find(
    program: string,
    facts: ProgramFacts,
    prompt: SoughtPrompt,
    sinceMs: number,
  ): Promise<TranscriptFinding>;
}
