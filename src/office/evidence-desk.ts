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

interface Waiter {
  readonly expectation: Expectation;
  readonly resolve: (evidence: Evidence) => void;
}

export class EvidenceDesk {
  readonly #waiters = new Set<Waiter>();

  /** Register before the first byte goes out: the proof may come before the write returns. */
  expect(expectation: Expectation): { readonly proof: Promise<Evidence>; readonly cancel: () => void } {
    let waiter: Waiter | undefined;
    const proof = new Promise<Evidence>((resolve) => {
      waiter = { expectation, resolve };
      this.#waiters.add(waiter);
    });
    return { proof, cancel: () => waiter !== undefined && this.#waiters.delete(waiter) };
  }

  isExpected(sessionId: SessionId, token: string): boolean {
    return [...this.#waiters].some(
      ({ expectation }) => expectation.sessionId === sessionId && expectation.token === token,
    );
  }

  report(sessionId: SessionId, submitted: Submitted): void {
    for (const waiter of this.#waiters) {
      const { expectation } = waiter;
      if (expectation.sessionId !== sessionId) continue;
      if (
        submitted.tokens.includes(expectation.token) ||
        submitted.promptDigest === expectation.promptDigest
      ) {
        this.#waiters.delete(waiter);
        waiter.resolve(expectation.worth);
      }
    }
  }
}
