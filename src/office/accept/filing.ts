/**
 * Writes the bodies of accepted messages to files after their senders were answered. Accept fills it; the office waits
 * for it before closing. The store is authoritative, and everything that names a file (`show`, `read`, a delivery by
 * reference) makes sure that it exists first, so a crash, a full disk or a flood costs only the copy.
 */
import type { Message } from "../../core/message.ts";
import type { OfficeContext } from "../base/context.ts";
import type { Directory } from "../presence/directory.ts";
import { fileBody } from "../typing/compose.ts";

/** A delivery does not wait for the same disk and the same thread: it needs no file, or makes sure of its own. */
const REST_MS = 100;
/** Writing a file costs more than accepting a message: in a flood, the rest are written when someone needs them. */
export const MOST_UNFILED = 256;

export class Filing {
  readonly #context: OfficeContext;
  readonly #directory: Directory;
  readonly #waiting: Message[] = [];
  #working: Promise<void> | undefined;
  #hurry: () => void = () => {};

  constructor(context: OfficeContext, directory: Directory) {
    this.#context = context;
    this.#directory = directory;
  }

  take(message: Message): void {
    if (this.#waiting.length >= MOST_UNFILED) return;
    this.#waiting.push(message);
    this.#working ??= this.#work();
  }

  /** For callers that are about to say where the file is. */
  async makeSure(message: Message): Promise<void> {
    try {
      await fileBody(message, this.#context, this.#directory);
    } catch (cause) {
      this.#context.log.warn("message.file_failed", { message: message.id, cause: String(cause) });
    }
  }

  /** Resolves once everything taken so far is on file or has failed. */
  async settled(): Promise<void> {
    this.#hurry();
    await this.#working;
  }

  async #work(): Promise<void> {
    await this.#rest();
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      await this.makeSure(message);
      this.#context.checkpoint("accept.filed");
    }
    this.#working = undefined;
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#context.clock.after(REST_MS, resolve);
      this.#hurry = () => {
        cancel();
        resolve();
      };
    });
  }
}
