/**
 * A caller that sends and listens on one connection gets its answer before the push of what it sent: pushes wait for
 * the answers to earlier sends, however soon the message is on disk. They keep their own order.
 */
import type { Push } from "../../wire/verbs/streams.ts";

interface Held {
  /** The last send before this push. */
  readonly behind: number;
  readonly bytes: number;
  go(): void;
}

export interface OwnSendsParts {
  /** How much is held back for a reader that does not read its answers. */
  readonly backlogBytes: number;
  overflow(bytes: number): void;
}

export class OwnSends {
  readonly #parts: OwnSendsParts;
  /** Sends that are not answered yet, oldest first. */
  readonly #open = new Set<number>();
  readonly #held: Held[] = [];
  #heldBytes = 0;
  #begun = 0;

  constructor(parts: OwnSendsParts) {
    this.#parts = parts;
  }

  /** Call when a send begins; call the result when its answer is written. */
  begin(): () => void {
    this.#begun += 1;
    const number = this.#begun;
    this.#open.add(number);
    return () => {
      this.#open.delete(number);
      this.#release();
    };
  }

  /** Whether a push need not wait. */
  get isAnswered(): boolean {
    return this.#open.size === 0;
  }

  /** `bytes` that count as backlog while it is held; 0 for a push that waits for room itself. */
  push(bytes: number, write: () => ReturnType<Push>): ReturnType<Push> {
    if (this.#open.size === 0) return write();
    if (this.#heldBytes > this.#parts.backlogBytes) {
      this.#parts.overflow(this.#heldBytes);
      return "gone";
    }
    this.#heldBytes += bytes;
    return new Promise((resolve) => {
      this.#held.push({ behind: this.#begun, bytes, go: () => resolve(write()) });
    });
  }

  /** The connection is gone: everything that waits is told. */
  end(): void {
    this.#open.clear();
    this.#release();
  }

  #release(): void {
    for (;;) {
      const [oldest = Number.POSITIVE_INFINITY] = this.#open;
      const next = this.#held[0];
      if (next === undefined || next.behind >= oldest) return;
      this.#held.shift();
      this.#heldBytes -= next.bytes;
      next.go();
    }
  }
}
