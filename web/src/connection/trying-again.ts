/** For a question that got no answer: it is asked again, each time after a longer pause. Never if all is well. */
import { retryAfterMs } from "./link.ts";
import type { Answer } from "./requests.ts";

const LONGEST_PAUSE_MS = 15_000;

export interface TryingParts {
  ask(): void;
  /** Returns how to cancel it. */
  after(ms: number, act: () => void): () => void;
  random(): number;
  /** Once, at once or later: the page is live and somebody looks at it. Returns how to cancel it. */
  whenReady(act: () => void): () => void;
}

/**
 *   resting ─▶ (no answer) pausing ─▶ waiting until the page is ready ─▶ (asks) resting
 *      ▲                      │                   │
 *      └────── (answered) ────┴───────────────────┘
 */
export class TryingAgain {
  readonly #parts: TryingParts;
  #attempt = 0;
  #hasEnded = false;
  #cancel: () => void = () => {};

  constructor(parts: TryingParts) {
    this.#parts = parts;
  }

  /** What came of asking, whoever asked. */
  told(...answers: readonly (Answer<unknown> | undefined)[]): void {
    if (this.#hasEnded) return;
    this.#cancel();
    if (!answers.some(isUnanswered)) {
      this.#attempt = 0;
      return;
    }
    const { ask, after, random, whenReady } = this.#parts;
    this.#cancel = after(retryAfterMs(this.#attempt, random(), LONGEST_PAUSE_MS), () => {
      this.#cancel = whenReady(ask);
    });
    this.#attempt += 1;
  }

  end(): void {
    this.#hasEnded = true;
    this.#cancel();
  }
}

/** A refusal is an answer: asked again, it is the same. A daemon in trouble may be better soon. */
function isUnanswered(answer: Answer<unknown> | undefined): boolean {
  return answer?.kind === "refused" && (answer.status === 0 || answer.status >= 500);
}
