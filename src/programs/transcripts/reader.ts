/** How to read one program's session files. Each function reads one line and is pure. */
import type { Utterance } from "../../ports/transcript.ts";
import type { Fields } from "./line.ts";

export interface TranscriptReader {
  /** A prompt, if the line holds one. */
  prompt(line: Fields): PromptSign | undefined;
  /** What it adds to the conversation. */
  talk(line: Fields): readonly Utterance[];
  /** Tool calls and tool answers in the line. */
  tools(line: Fields): readonly ToolSign[];
}

/** A prompt in a session file. */
export interface PromptSign {
  /** `withdrawn`: it had been queued and was taken back before it was read. */
  readonly as: "turn" | "queued" | "withdrawn";
  /** Its parts: what an editor adds is a separate part. */
  readonly texts: readonly string[];
}

/** Tool calls and answers in a line, one entry each. `input` and `answer` are plain text, whatever their form was. */
export type ToolSign =
  | { readonly kind: "called"; readonly id: string; readonly input: string }
  | { readonly kind: "answered"; readonly id: string; readonly answer: string };
