import type { BoardTopic } from "../core/board.ts";
import type { BellhopError } from "../core/errors.ts";
import type { Json } from "../core/message.ts";
import type { AutoRunWords } from "../core/turns/auto-run.ts";
import type { BoardFrame } from "../wire/shapes/board.ts";
import type { BrokerMessage, Routed, ShownSubscription } from "../wire/shapes/broker.ts";
import type { ConversationEntry, ShownAutoRun, TurnsResponse } from "../wire/shapes/turns.ts";

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

export interface TurnsOptions {
  readonly agent?: string;
  readonly session?: string;
  readonly limit?: number;
}

export interface Triggered {
  readonly agent: string;
  readonly sessionId: string;
  /** The messages that the turn is about. */
  readonly messages: readonly string[];
}

/** What is not named stays as it was said; `null` takes back all. */
export type AutoRunSaid = boolean | AutoRunWords | null;

export interface Conversation {
  /** Oldest first. */
  readonly entries: readonly ConversationEntry[];
  /** For the next page; absent: this was the last. */
  readonly before?: number;
}

export interface ConversationPage {
  readonly before?: number;
  readonly limit?: number;
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
  turns: { ask: TurnsOptions; answer: TurnsResponse };
  triggerTurn: { ask: Whose & { readonly messages?: readonly string[] }; answer: Triggered };
  setAutoRun: { ask: Whose & { readonly autoRun: AutoRunSaid }; answer: ShownAutoRun };
  conversation: { ask: Whose & ConversationPage; answer: Conversation };
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
  /** On its own connection too. */
  routes(ear: Ear<Routed>): Promise<Listening>;
  board(topics: readonly BoardTopic[] | undefined, ear: Ear<BoardFrame>): Promise<Listening>;
  close(): void;
}

/**
 * What has come in one piece and is read when somebody takes it. Hundreds of messages that are read at once outlive the
 * garbage collector's first look, which then costs as much as reading them.
 */
export interface Unread<Heard> {
  /** How many are left. */
  readonly size: number;
  /** The next one; undefined if it cannot be read: nothing of its connection can be from then on. */
  take(): Heard | undefined;
}

export interface Ear<Heard = BrokerMessage> {
  hear(heard: Heard): void;
  /** Without it, `hear` gets each as it comes. */
  hearUnread?(unread: Unread<Heard>): void;
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
