import type { ProgramFacts } from "./inbox.ts";

export type TranscriptFinding =
  /** `queued`: the program has written down that it holds the text for a later turn. */
  | { readonly kind: "found"; readonly as: "turn" | "queued" }
  /** The whole stretch since the attempt was read and has no such turn. */
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly why: string };

/** The agent's own session file as a witness. */
export interface Transcripts {
  /** Is there a user turn since `sinceMs` that contains `token`? */
  find(program: string, facts: ProgramFacts, token: string, sinceMs: number): Promise<TranscriptFinding>;
}
