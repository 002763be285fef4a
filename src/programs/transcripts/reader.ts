/** How to read one program's session files. The functions that read one line are pure. */
import type { Utterance } from "../../ports/transcript.ts";
import type { Fields } from "./line.ts";
import type { BackwardsLine } from "./lines-backwards.ts";

export interface TranscriptReader {
  /** Where its lines are, if not in a file that only grows: newest first, up to `mostBytes` (`TooFarBack`). */
  lines?(path: string, mostBytes: number): AsyncIterable<BackwardsLine>;
  /** A prompt, if the line holds one. */
  prompt(line: Fields): PromptSign | undefined;
  /** What it adds to the conversation. */
  talk(line: Fields): readonly Utterance[];
  /** Tool calls and tool answers in the line. */
  tools(line: Fields): readonly ToolSign[];
  /** If the line states the whole conversation anew: its entries, oldest first. Nothing before it counts. */
  restated?(line: Fields): readonly Fields[] | undefined;
  /** Entries with the same id are one, of which the newest counts. */
  entryId?(entry: Fields): string | undefined;
  /** How a turn ended, if the line tells: needed where the program's hook does not. */
  ending?(line: Fields): "whole" | "broken" | undefined;
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
