/**
 * Writes the bodies of accepted messages to their files, behind the answer to their senders. Accept fills it, the
 * office lets it finish before it closes. The store is the truth, and whoever names a file (`show`, `read`, a
 * delivery by reference) makes sure of it first: so a crash, a full disk or a flood costs nothing but the copy.
 */
import type { Message } from "../../core/message.ts";
import type { OfficeContext } from "../base/context.ts";
import type { Directory } from "../presence/directory.ts";
import { fileBody } from "../typing/compose.ts";

/** Making a file costs more than accepting a message: in a flood the rest is left until someone needs it. */
export const MOST_UNFILED = 256;

export class Filing {
  readonly #context: OfficeContext;
  readonly #directory: Directory;
  readonly #waiting: Message[] = [];
  #working: Promise<void> | undefined;

  constructor(context: OfficeContext, directory: Directory) {
    this.#context = context;
    this.#directory = directory;
  }

  take(message: Message): void {
    if (this.#waiting.length >= MOST_UNFILED) return;
    this.#waiting.push(message);
    this.#working ??= this.#work();
  }

  /** For whoever tells where the file is. */
  async makeSure(message: Message): Promise<void> {
    try {
      await fileBody(message, this.#context, this.#directory);
    } catch (cause) {
      this.#context.log.warn("message.file_failed", { message: message.id, cause: String(cause) });
    }
  }

  /** Everything taken so far is on file, or is known to fail. */
  async settled(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    // After the answers of this turn are written.
    await new Promise((resolve) => setImmediate(resolve));
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      await this.makeSure(message);
      this.#context.checkpoint("accept.filed");
    }
    this.#working = undefined;
  }
}
