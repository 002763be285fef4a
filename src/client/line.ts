import type { BellhopError } from "../core/errors.ts";
import type { Json } from "../core/message.ts";
import type { BrokerMessage, ShownSubscription } from "../wire/shapes/broker.ts";

/** What is said: words, or a command with data, or both. */
export interface Content {
  readonly text?: string;
  readonly command?: string;
  readonly payload?: Json;
}

export interface SendOptions {
  /** Another sender than oneself: the owner may. */
  readonly from?: string;
  /** The outside system it was brought from, and its id there. */
  readonly source?: string;
  readonly externalId?: string;
  /** The same key and message are stored once, however often they are sent. Made up when left out. */
  readonly idempotencyKey?: string;
}

export interface Sent {
  readonly messageId: string;
  /** Nobody was there for it: it is a dead letter. */
  readonly unmatched: boolean;
}

export interface HistoryOptions {
  readonly limit?: number;
  /** Unix milliseconds. */
  readonly fromTime?: number;
  readonly toTime?: number;
}

/** What goes over a line as one question with one answer, whichever protocol it speaks. */
export interface Questions {
  send: { ask: Content & SendOptions & { readonly to: string }; answer: Sent };
  route: { ask: Content & SendOptions & { readonly path: string }; answer: Sent };
  receive: { ask: Whose; answer: readonly BrokerMessage[] };
  history: { ask: Whose & HistoryOptions; answer: readonly BrokerMessage[] };
  ack: { ask: Partial<Whose> & { readonly messageId: string }; answer: undefined };
  subscribe: { ask: Whose & { readonly pattern: string }; answer: readonly ShownSubscription[] };
  unsubscribe: { ask: Whose & { readonly pattern: string }; answer: readonly ShownSubscription[] };
  subscriptions: { ask: Whose; answer: readonly ShownSubscription[] };
  unmatched: { ask: HistoryOptions; answer: readonly BrokerMessage[] };
  clearUnmatched: { ask: Record<never, never>; answer: undefined };
}

export interface Whose {
  readonly agent: string;
  readonly session?: string;
}

export type Question = keyof Questions;

/** One way to the daemon. Each question rejects with a typed error; the line itself never tries twice. */
export interface Line {
  ask<Q extends Question>(question: Q, ask: Questions[Q]["ask"]): Promise<Questions[Q]["answer"]>;
  /** On a connection of its own, so that a slow listener holds up nobody else. */
  listen(
    request: Whose & { readonly consume: boolean; readonly agentSince?: number },
    ear: Ear,
  ): Promise<Opened>;
  close(): void;
}

export interface Ear {
  hear(message: BrokerMessage): void;
  /** Once, when it is over: the connection is gone, or the daemon refused. */
  over(error: BellhopError): void;
}

/** `agentSince` tells its agent from another of that name; a daemon of an earlier version does not say it. */
export interface Opened extends Listening {
  readonly agentSince: number | undefined;
}

export function agentSinceIn({ agentSince }: Readonly<Record<string, unknown>>): Pick<Opened, "agentSince"> {
  return { agentSince: typeof agentSince === "number" ? agentSince : undefined };
}

export interface Listening {
  /** Reads nothing more until `resume`: what waits stays with the daemon. */
  pause(): void;
  resume(): void;
  close(): void;
}
