/**
 * Brings proof and waiting deliveries together. Endpoints expect, signals report.
 * It never decides what a proof is worth and never writes the store.
 */
import type { Evidence, SessionId } from "../core/message.ts";

export interface Expectation {
  readonly sessionId: SessionId;
  readonly token: string;
  readonly promptDigest: string;
  readonly worth: Evidence;
}

export interface Submitted {
  readonly tokens: readonly string[];
  readonly promptDigest: string | undefined;
}

/** `stopped`: it was a second copy, so what arrived is the first one. */
export type Reported = "taken" | "stopped";

interface Waiter {
  readonly expectation: Expectation;
  readonly resolve: (evidence: Evidence) => void;
  reported: Reported | undefined;
}

export class EvidenceDesk {
  readonly #waiters = new Set<Waiter>();

  /** Register before the first byte goes out: the proof may come before the write returns. */
  expect(expectation: Expectation): {
    readonly proof: Promise<Evidence>;
    readonly cancel: () => void;
    reported(): Reported | undefined;
  } {
    let waiter: Waiter | undefined;
    const proof = new Promise<Evidence>((resolve) => {
      waiter = { expectation, resolve, reported: undefined };
      this.#waiters.add(waiter);
    });
    return {
      proof,
      cancel: () => waiter !== undefined && this.#waiters.delete(waiter),
      reported: () => waiter?.reported,
    };
  }

  isExpected(sessionId: SessionId, token: string): boolean {
    return [...this.#waiters].some(
      ({ expectation }) => expectation.sessionId === sessionId && expectation.token === token,
    );
  }

  report(sessionId: SessionId, submitted: Submitted, as: Reported = "taken"): void {
    for (const waiter of this.#waiters) {
      const { expectation } = waiter;
      if (expectation.sessionId !== sessionId) continue;
      if (
        submitted.tokens.includes(expectation.token) ||
        submitted.promptDigest === expectation.promptDigest
      ) {
        this.#waiters.delete(waiter);
        waiter.reported = as;
        waiter.resolve(expectation.worth);
      }
    }
  }
}
