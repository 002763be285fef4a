/**
 * Writes the bodies of accepted messages to their files, behind the answer to their senders. Accept fills it, the
 * office empties it before it closes. The store is the truth, and whoever names a file (`show`, `read`, a delivery
 * by reference) makes sure of it first, so a crash or a full disk here loses nothing. It keeps no sender waiting
 * unless it is too far behind.
 */
import type { Message } from "../core/message.ts";
import { fileBody } from "./compose.ts";
import type { OfficeContext } from "./context.ts";
import type { Directory } from "./directory.ts";

/** Senders wait beyond this. */
export const MOST_UNFILED = 1_000;
/** So that a burst does not hold up everything else. */
const FILED_PER_TURN = 8;

export class Filing {
  readonly #context: OfficeContext;
  readonly #directory: Directory;
  #waiting: Message[] = [];
  #working: Promise<void> | undefined;

  constructor(context: OfficeContext, directory: Directory) {
    this.#context = context;
    this.#directory = directory;
  }

  /** A promise only when the sender has to wait for it. */
  take(message: Message): Promise<void> | undefined {
    this.#waiting.push(message);
    this.#working ??= this.#work();
    return this.#waiting.length > MOST_UNFILED ? this.#working : undefined;
  }

  /** For whoever tells where the file is. */
  async makeSure(message: Message): Promise<void> {
    await this.#file(message);
  }

  /** Everything taken so far is on file, or is known to fail. */
  async settled(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    do {
      // After the answers of this turn are written.
      await new Promise((resolve) => setImmediate(resolve));
      for (const message of this.#waiting.splice(0, FILED_PER_TURN)) await this.#file(message);
    } while (this.#waiting.length > 0);
    this.#working = undefined;
  }

  async #file(message: Message): Promise<void> {
    try {
      await fileBody(message, this.#context, this.#directory);
      this.#context.checkpoint("accept.filed");
    } catch (cause) {
      this.#context.log.warn("message.file_failed", { message: message.id, cause: String(cause) });
    }
  }
}
