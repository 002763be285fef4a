/** A turn by a command of the owner's: the prompt on its standard input, the answer on its standard output. */
import { LIMITS } from "../../core/message.ts";
import type { TurnOrder } from "../../ports/runner.ts";
import type { HeadlessCommand, HeadlessReader } from "../headless.ts";

export function commandTurn({ command, prompt, conversation, role }: TurnOrder): HeadlessCommand {
  return {
    words: command,
    stdin: prompt,
    environment: {
      ...(conversation === undefined ? {} : { BELLHOP_CONVERSATION: conversation }),
      ...(role === undefined ? {} : { BELLHOP_ROLE: role }),
    },
  };
}

/** One more than fits into a message: it is cut where all answers are. */
const MOST_CHARACTERS = LIMITS.bodyBytes + 1;

export class CommandReader implements HeadlessReader {
  #text = "";
  /** Empty lines since the last one with words: they count only if another one follows. */
  #blank = 0;

  line(text: string): string | undefined {
    if (text.trim() === "") {
      this.#blank += 1;
      return undefined;
    }
    const room = MOST_CHARACTERS - this.#text.length;
    if (room <= 0) return undefined;
    const ends = this.#text === "" ? "" : "\n".repeat(Math.min(this.#blank + 1, room));
    this.#text += (ends + text).slice(0, room);
    this.#blank = 0;
    return undefined;
  }

  ended(): { readonly answer: string } {
    return { answer: this.#text.trim() };
  }
}
