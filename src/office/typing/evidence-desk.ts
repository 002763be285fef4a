/**
 * Brings proof and waiting deliveries together. Endpoints expect, signals report.
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
  /** Of our prompts that it is, or that it wraps. */
  readonly tokens: readonly string[];
  /** Of our prompts that stand in it with other text before or behind. */
  readonly mixed: readonly string[];
  readonly promptDigest: string | undefined;
}

/** `stopped`: it was a second copy, so what arrived is the first one. */
export type Reported = "taken" | "stopped";

/** `mixed`: it was submitted, but not alone: that proves no delivery, and nothing else may be believed instead. */
export type Proof = Evidence | "mixed";

interface Waiter {
  readonly expectation: Expectation;
  readonly resolve: (proof: Proof) => void;
  reported: Reported | undefined;
}

export class EvidenceDesk {
  readonly #waiters = new Set<Waiter>();

  /** Register before the first byte goes out: the proof may come before the write returns. */
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
