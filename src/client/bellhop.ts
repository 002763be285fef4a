/** What a program can ask of Bellhop, over any line. Reconnects, and repeats questions that may be repeated. */
import { present } from "../core/present.ts";
import type { BrokerMessage, Routed, ShownSubscription } from "../wire/shapes/broker.ts";
import type { ShownAutoRun, TurnsResponse } from "../wire/shapes/turns.ts";
import type {
  AutoRunSaid,
  Content,
  Conversation,
  ConversationPage,
  HistoryOptions,
  Line,
  Question,
  Questions,
  SendOptions,
  Sent,
  Triggered,
  TurnsOptions,
  Whose,
} from "./line.ts";
import { type ListenOptions, listenPatiently } from "./listen.ts";
import { isAbsence, type Patience, patiently } from "./patience.ts";
import { hearRoutes, type RouteOptions } from "./routes.ts";
import { type Watched, type WatchOptions, watchPatiently } from "./watch.ts";

export interface Bellhop {
  /** To an agent, a session or a path. Resolves once the message is on disk. */
  send(to: string, content: string | Content, options?: SendOptions): Promise<Sent>;
  /** To the subscribers of the path. */
  route(path: string, content: string | Content, options?: SendOptions): Promise<Sent>;
  /** To every agent except the sender. */
  broadcast(content: string | Content, options?: SendOptions): Promise<Sent>;
  /** Takes what waits: nobody else gets it. */
  receive(mailbox: string | Whose): Promise<readonly BrokerMessage[]>;
  history(mailbox: string | Whose, options?: HistoryOptions): Promise<readonly BrokerMessage[]>;
  /** Confirms that this message was read. */
  ack(message: BrokerMessage | string, mailbox?: string | Whose): Promise<void>;
  subscribe(mailbox: string | Whose, pattern: string): Promise<void>;
  unsubscribe(mailbox: string | Whose, pattern: string): Promise<void>;
  subscriptions(mailbox: string | Whose): Promise<readonly ShownSubscription[]>;
  unmatched(options?: HistoryOptions): Promise<readonly BrokerMessage[]>;
  clearUnmatched(): Promise<void>;
  /** Automatic turns: open ones first, then the newest. */
  turns(options?: TurnsOptions): Promise<TurnsResponse>;
  /** Starts a turn without triage, once the session is free. Without messages, about what waits. */
  triggerTurn(agent: string, session?: string, messages?: readonly string[]): Promise<Triggered>;
  /** What is not named stays as it was said; `null` takes back all. */
  setAutoRun(
    agent: string,
    autoRun: AutoRunSaid,
    options?: { readonly session?: string },
  ): Promise<ShownAutoRun>;
  /** What its automatic turns were asked and answered: the newest page, oldest first. */
  conversation(
    agent: string,
    options?: ConversationPage & { readonly session?: string },
  ): Promise<Conversation>;
  /** Called after every successful delivery to a mailbox. What came while the daemon was away is not told. */
  onRoute(callback: (routed: Routed) => void, options?: RouteOptions): { close(): void };
  /** Everything that there is to see, now and at every change. Ends as `listen` does. */
  watch(options?: WatchOptions): AsyncIterableIterator<Watched>;
  /** Ends when the loop is left, the signal aborts, or the client is closed; survives a restart of the daemon. */
  listen(mailbox: string | Whose, options?: ListenOptions): AsyncIterableIterator<BrokerMessage>;
  close(): void;
}

/** Safe to ask again if the answer was lost: nothing happens twice. A send carries its key. */
const REPEATABLE: readonly Question[] = [
  "send",
  "route",
  "history",
  "ack",
  "subscribe",
  "subscriptions",
  "unmatched",
  "clearUnmatched",
  "turns",
  "setAutoRun",
  "conversation",
];

const NO_OPTIONS: SendOptions = {};

/** `newKey`: for idempotency. */
export function bellhopOver(line: Line, patience: Patience, newKey: () => string): Bellhop {
  const closed = new AbortController();

  const ask = <Q extends Question>(
    question: Q,
    request: Questions[Q]["ask"],
  ): Promise<Questions[Q]["answer"]> =>
    patiently(
      () => line.ask(question, request),
      (error) => mayAskAgain(question, error) && !closed.signal.aborted,
      patience,
    );
  const filled = (content: string | Content, options: SendOptions): Content & SendOptions => ({
    ...contentOf(content),
    ...options,
    idempotencyKey: options.idempotencyKey ?? newKey(),
  });
  const isText = (content: string | Content, options: SendOptions): content is string =>
    typeof content === "string" && options === NO_OPTIONS;
  const send = (to: string, content: string | Content, options = NO_OPTIONS): Promise<Sent> =>
    isText(content, options)
      ? ask("send", { to, text: content, idempotencyKey: newKey() })
      : ask("send", { to, ...filled(content, options) });
  const route = (path: string, content: string | Content, options = NO_OPTIONS): Promise<Sent> =>
    isText(content, options)
      ? ask("route", { path, text: content, idempotencyKey: newKey() })
      : ask("route", { path, ...filled(content, options) });

  return {
    send: (to, content, options) =>
      to.includes("/") ? route(to, content, options) : send(to, content, options),
    route,
    broadcast: (content, options) => route("agent/**", content, options),
    receive: (mailbox) => ask("receive", whose(mailbox)),
    history: (mailbox, options = {}) => ask("history", { ...whose(mailbox), ...options }),
    async ack(message, mailbox) {
      const messageId = typeof message === "string" ? message : message.id;
      await ask("ack", { messageId, ...(mailbox === undefined ? {} : whose(mailbox)) });
    },
    async subscribe(mailbox, pattern) {
      await ask("subscribe", { ...whose(mailbox), pattern });
    },
    async unsubscribe(mailbox, pattern) {
      await ask("unsubscribe", { ...whose(mailbox), pattern });
    },
    subscriptions: (mailbox) => ask("subscriptions", whose(mailbox)),
    unmatched: (options = {}) => ask("unmatched", options),
    async clearUnmatched() {
      await ask("clearUnmatched", {});
    },
    turns: (options = {}) => ask("turns", options),
    triggerTurn: (agent, session, messages) =>
      ask("triggerTurn", { agent, ...present({ session, messages }) }),
    setAutoRun: (agent, autoRun, { session } = {}) =>
      ask("setAutoRun", { agent, ...present({ session }), autoRun }),
    conversation: (agent, options = {}) => ask("conversation", { agent, ...options }),
    onRoute: (callback, options = {}) => hearRoutes(line, callback, options, patience, closed.signal),
    watch: (options = {}) => watchPatiently(line, options, patience, closed.signal),
    listen: (mailbox, options = {}) =>
      listenPatiently(line, whose(mailbox), options, patience, closed.signal),
    close() {
      closed.abort();
      line.close();
    },
  };
}

/** Nothing was asked because the daemon was away, or the question may be repeated. */
function mayAskAgain(question: Question, error: unknown): boolean {
  return isAbsence(error) && (error.code === "daemon.not_running" || REPEATABLE.includes(question));
}

function contentOf(content: string | Content): Content {
  return typeof content === "string" ? { text: content } : content;
}

function whose(mailbox: string | Whose): Whose {
  return typeof mailbox === "string" ? { agent: mailbox } : mailbox;
}
