/**
 * A caller that sends and listens on one connection gets its answer before it hears what it sent: pushes wait for the
 * answers to what was sent before them, however soon the message is on disk. They keep their own order.
 */
import type { PushOutcome } from "../caller/listener.ts";

interface Held {
  /** The last that was sent before it. */
  readonly behind: number;
  readonly bytes: number;
  go(): void;
}

export interface OwnSendsParts {
  /** Of a reader that does not take its answers, this much is held back, and no more. */
  readonly backlogBytes: number;
  overflow(bytes: number): void;
}

export class OwnSends {
  readonly #parts: OwnSendsParts;
  /** Not answered yet, oldest first. */
  readonly #open = new Set<number>();
  readonly #held: Held[] = [];
  #heldBytes = 0;
  #begun = 0;

  constructor(parts: OwnSendsParts) {
    this.#parts = parts;
  }

  /** Something is being sent; call back when its answer is written. */
  begin(): () => void {
    this.#begun += 1;
    const number = this.#begun;
    this.#open.add(number);
    return () => {
      this.#open.delete(number);
      this.#release();
    };
  }

  /** `bytes` that pile up while it is held; none of what waits for room by itself. */
  push(bytes: number, write: () => PushOutcome): PushOutcome {
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

  /** Nobody is there any more: whoever waits is to know. */
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
