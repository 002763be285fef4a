/**
 * Matches proof with the deliveries that wait for it. Endpoints expect, signals report.
 * It never decides what a proof is worth and never writes the store.
 */
import type { Evidence, SessionId } from "../../core/message.ts";
import { mentions } from "../../core/text/prompt.ts";

export interface Expectation {
  readonly sessionId: SessionId;
  readonly token: string;
  readonly promptDigest: string;
  readonly worth: Evidence;
}

export interface Submitted {
  /** Tokens of our prompts that the submitted text is, or wraps. */
  readonly tokens: readonly string[];
  /** Tokens of our prompts that it contains with other text before or after them. */
  readonly mixed: readonly string[];
  readonly promptDigest: string | undefined;
}

/** `stopped`: it was a second copy, so the first one has arrived. */
export type Reported = "taken" | "stopped";

/** `mixed`: submitted, but with other text. That proves no delivery, and no other witness may override it. */
export type Proof = Evidence | "mixed";

interface Waiter {
  readonly expectation: Expectation;
  readonly resolve: (proof: Proof) => void;
  reported: Reported | undefined;
}

export class EvidenceDesk {
  readonly #waiters = new Set<Waiter>();

  /** Call before the first byte is sent: the proof may come before the write returns. */
  expect(expectation: Expectation): {
    readonly proof: Promise<Proof>;
    readonly cancel: () => void;
    reported(): Reported | undefined;
  } {
    let waiter: Waiter | undefined;
    const proof = new Promise<Proof>((resolve) => {
      waiter = { expectation, resolve, reported: undefined };
      this.#waiters.add(waiter);
    });
    return {
      proof,
      cancel: () => waiter !== undefined && this.#waiters.delete(waiter),
      reported: () => waiter?.reported,
    };
  }

  isExpected(sessionId: SessionId, prompt: string): boolean {
    return [...this.#waiters].some(
      ({ expectation }) => expectation.sessionId === sessionId && mentions(prompt, expectation.token),
    );
  }

  report(sessionId: SessionId, submitted: Submitted, as: Reported = "taken"): void {
    for (const waiter of this.#waiters) {
      const { expectation } = waiter;
      if (expectation.sessionId !== sessionId) continue;
      const { token, promptDigest, worth } = expectation;
      const isAlone = submitted.tokens.includes(token) || submitted.promptDigest === promptDigest;
      if (!isAlone && !submitted.mixed.includes(token)) continue;
      this.#waiters.delete(waiter);
      waiter.reported = as;
      waiter.resolve(isAlone ? worth : "mixed");
    }
  }
}
