/** How one program writes its session files. Each reads one line, and is pure. */
import type { Utterance } from "../../ports/transcript.ts";
import type { Fields } from "./line.ts";

export interface TranscriptReader {
  /** Somebody's text, if the line holds one. */
  prompt(line: Fields): PromptSign | undefined;
  /** What it adds to the conversation. */
  talk(line: Fields): readonly Utterance[];
  /** Which tools it shows to have been called, or to have answered. */
  tools(line: Fields): readonly ToolSign[];
}

/** Somebody's text in a session file. */
export interface PromptSign {
  /** `withdrawn`: it had been queued, and somebody took it back before it was read. */
  readonly as: "turn" | "queued" | "withdrawn";
  /** Its pieces: what an editor adds stands in one of its own. */
  readonly texts: readonly string[];
}

/** What a line tells of tools, one entry for each. `input` and `answer` are texts, whatever their form was. */
export type ToolSign =
  | { readonly kind: "called"; readonly id: string; readonly input: string }
  | { readonly kind: "answered"; readonly id: string; readonly answer: string };
