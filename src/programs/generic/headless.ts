/** A turn by a command of the owner's: the prompt on its standard input, the answer on its standard output. */
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

export class CommandReader implements HeadlessReader {
  readonly #lines: string[] = [];

  line(text: string): string | undefined {
    this.#lines.push(text);
    return undefined;
  }

  ended(): { readonly answer: string } {
    return { answer: this.#lines.join("\n").trim() };
  }
}
