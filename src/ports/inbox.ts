import type { SessionId } from "../core/message.ts";

/** What a running program told us about itself (hooks, its own files); kept in memory only where it is secret. */
export interface ProgramFacts {
  readonly sessionId: SessionId;
  readonly programSessionId?: string;
  readonly agentPid: number;
  readonly folder?: string;
  readonly transcriptPath?: string;
  readonly version?: string;
  readonly inboxPath?: string;
  readonly inboxToken?: string;
}

export type InboxOffer =
  | { readonly kind: "offered" }
  | { readonly kind: "not-offered"; readonly why: string };

export type HandoverOutcome =
  /** The program took the bytes. That alone proves nothing: evidence comes by hook or transcript. */
  /** `acknowledged`: the receiver gave a positive answer, not mere silence. */
  | { readonly kind: "handed-over"; readonly acknowledged?: true }
  /** It certainly did not get it: another rung may be tried. */
  | { readonly kind: "refused"; readonly why: string }
  /** It may have it: no fall-back to keys. */
  | { readonly kind: "unknown"; readonly why: string };

/** A program's own way in: touches no composer. */
export interface Inbox {
  offers(facts: ProgramFacts): Promise<InboxOffer>;
  handOver(facts: ProgramFacts, text: string, signal: AbortSignal): Promise<HandoverOutcome>;
}
