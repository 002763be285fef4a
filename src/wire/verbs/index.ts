/** Every verb, once. Doors check requests with it, the office its rights; clients and use-cases use its types. */
import type { Need } from "../../core/rights/needs.ts";
import { agents } from "./agents.ts";
import { boardStreams } from "./board.ts";
import { broker, brokerStreams } from "./broker.ts";
import type { Claims } from "./claims.ts";
import { cluster } from "./cluster.ts";
import { daemon } from "./daemon.ts";
import { messages } from "./messages.ts";
import { outside } from "./outside.ts";
import { queues } from "./queue.ts";
import { reminders } from "./reminders.ts";
import { routeStreams } from "./routes.ts";
import { screenStreams } from "./screens.ts";
import { sessionStreams, sessions } from "./sessions.ts";
import { turns } from "./turns.ts";
import type { Checked } from "./verb.ts";
import { watches } from "./watches.ts";
import { web } from "./web.ts";

export const VERBS = {
  ...messages,
  ...broker,
  ...queues,
  ...agents,
  ...sessions,
  ...reminders,
  ...watches,
  ...outside,
  ...cluster,
  ...turns,
  ...web,
  ...daemon,
};

/** Requests with more than one answer, and how to end them: by the `req_id` that started them. */
export const STREAMS = { ...brokerStreams, ...sessionStreams, ...routeStreams, ...boardStreams };

/** Streams of the WebSocket alone. */
const WS_STREAMS = screenStreams;

type Verbs = typeof VERBS;
export type Verb = keyof Verbs;
export type RequestOf<V extends Verb> = Checked<Verbs[V]["request"]>;
export type ResponseOf<V extends Verb> = NonNullable<Verbs[V]["response"]["type"]>;

export type StreamVerb = keyof typeof STREAMS;
export type StreamRequestOf<V extends StreamVerb> = Checked<(typeof STREAMS)[V]["request"]>;

/** The use-cases behind every door. */
export type UseCases = { readonly [V in Verb]: (request: RequestOf<V>) => Promise<ResponseOf<V>> };
/** The use-cases of one subject. */
export type UseCasesOf<Subject> = Pick<UseCases, keyof Subject & Verb>;
/** As the doors call them: every request says who makes it, which decides what is allowed. */
export type AskedUseCases = {
  readonly [V in Verb]: (request: RequestOf<V>, claims: Claims) => Promise<ResponseOf<V>>;
};

type WsStreamVerb = keyof typeof WS_STREAMS;
export type AnyVerb = Verb | StreamVerb | WsStreamVerb;
export type AnyRequestOf<V extends AnyVerb> = V extends Verb
  ? RequestOf<V>
  : V extends StreamVerb
    ? StreamRequestOf<V>
    : V extends WsStreamVerb
      ? Checked<(typeof WS_STREAMS)[V]["request"]>
      : never;
export type NeedsOf = <V extends AnyVerb>(verb: V, request: AnyRequestOf<V>) => readonly Need[];

const ENTRIES: Readonly<Record<AnyVerb, { needs(request: never): readonly Need[] }>> = {
  ...VERBS,
  ...STREAMS,
  ...WS_STREAMS,
};

export const needsOf: NeedsOf = (verb, request) => ENTRIES[verb].needs(request as never);
