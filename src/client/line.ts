import type { BellhopError } from "../core/errors.ts";
import type { Json } from "../core/message.ts";
import type { BrokerMessage, ShownSubscription } from "../wire/shapes/broker.ts";

/** The content of a message: text, or a command with data, or both. */
export interface Content {
  readonly text?: string;
  readonly command?: string;
  readonly payload?: Json;
}

export interface SendOptions {
  /** A sender other than the caller: only for the owner. */
  readonly from?: string;
  /** The outside system it came from, and its id there. */
  readonly source?: string;
  readonly externalId?: string;
  /** The same key and message are stored once, however often they are sent. Generated if absent. */
  readonly idempotencyKey?: string;
}

export interface Sent {
  readonly messageId: string;
  /** It had no recipient and is a dead letter. */
  readonly unmatched: boolean;
}

export interface HistoryOptions {
  readonly limit?: number;
  /** Unix milliseconds. */
  readonly fromTime?: number;
  readonly toTime?: number;
}

/** Questions with one answer, in any protocol. */
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

/** One way to the daemon. Each question rejects with a typed error; the line itself never retries. */
export interface Line {
  ask<Q extends Question>(question: Q, ask: Questions[Q]["ask"]): Promise<Questions[Q]["answer"]>;
  /** On its own connection, so that a slow listener delays nothing else. */
  listen(
    request: Whose & { readonly consume: boolean; readonly agentSince?: number },
    ear: Ear,
  ): Promise<Opened>;
  close(): void;
}

export interface Ear {
  hear(message: BrokerMessage): void;
  /** Called once, when it is over: the connection is gone, or the daemon refused. */
  over(error: BellhopError): void;
}

/** `agentSince` tells the agent from another of that name; a daemon of an earlier version does not send it. */
export interface Opened extends Listening {
  readonly agentSince: number | undefined;
}

export function agentSinceIn({ agentSince }: Readonly<Record<string, unknown>>): Pick<Opened, "agentSince"> {
  return { agentSince: typeof agentSince === "number" ? agentSince : undefined };
}

export interface Listening {
  /** Reads nothing more until `resume`: waiting messages stay with the daemon. */
  pause(): void;
  resume(): void;
  close(): void;
}
