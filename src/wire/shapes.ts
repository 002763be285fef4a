/** What crosses a door, as types only: one table of verbs; what they carry is in `shapes/`, by subject. */
import type { BellhopError, ErrorDetail } from "../core/errors.ts";
import type { Address, AgentName, DeliveryState, Instant, MessageId, SessionId } from "../core/message.ts";
import type { Overview, ShownAttention, Wants } from "./shapes/attention.ts";
import type {
  BrokerMessage,
  ListenRequest,
  MailboxRequest,
  RouteResponse,
  SubscriptionsResponse,
} from "./shapes/broker.ts";
import type { DiagnosedSession, HookEventResponse, HookReport, StatusResponse } from "./shapes/daemon.ts";
import type {
  AnswerResponse,
  Claims,
  ExplainResponse,
  ExportedEntry,
  HistoryEntry,
  QueuedDelivery,
  SendRequest,
  SendResponse,
  SentDelivery,
  ShownMessage,
  ShowResponse,
  TimeWindow,
  WaitResponse,
} from "./shapes/messages.ts";
import type { RemindRequest, ShownReminder } from "./shapes/reminders.ts";
import type {
  RunRequest,
  RunResponse,
  ShownAgent,
  ShownConversation,
  ShownDraft,
  ShownEnding,
  ShownSession,
} from "./shapes/sessions.ts";
import type { ShownWatch, WatchRequest } from "./shapes/watches.ts";

/** One mailbox owner, or everybody who runs and what wants the person. */
export type Followed = { readonly session: ShownSession } | { readonly overview: Overview };

export interface FollowEar {
  hear(followed: Followed): void;
  /** Once, and nothing after it: what is followed is there no more. */
  over(error: BellhopError): void;
}

export interface FollowRequest {
  readonly who?: string;
}

interface Listening {
  readonly agent: AgentName;
  /** When that agent was made: a name can become another's, this cannot. */
  readonly agentSince: Instant;
  readonly session?: string;
  /** Where it listens now: its agent may have got another name. */
  mailbox(): Address;
  close(): void;
}

/** What does not end with one answer. */
export interface Streams {
  /** How things stand, now and whenever that changes: of `who`, or of everybody; rejects when there is nobody. */
  follow(
    request: FollowRequest,
    ear: FollowEar,
    claims: Claims,
  ): Promise<{ readonly agent?: AgentName; close(): void }>;
  /** `push` says whether it reached the listener's connection. */
  listen(
    request: ListenRequest,
    push: (message: BrokerMessage) => "gone" | Promise<"written" | "gone">,
  ): Promise<Listening>;
  /** Where it would listen; throws what `listen` rejects with. */
  mailboxOf(request: MailboxRequest): Address;
}

/** One table: verb → what goes in and what comes out. Doors, client and use-cases all read it. */
export interface Verbs {
  send: { request: SendRequest; response: SendResponse };
  reply: { request: Omit<SendRequest, "to" | "re"> & { readonly id: string }; response: SendResponse };
  wait: {
    request: { readonly id: string; readonly state: DeliveryState; readonly timeoutMs?: number };
    response: WaitResponse;
  };
  /**
   * Until somebody has answered it, nobody can any more, or the time is over. `take`: whoever asks says with `ack` that
   * they have the answer; until then nobody else gets it.
   */
  answer: {
    request: { readonly id: string; readonly timeoutMs: number; readonly take?: boolean };
    response: AnswerResponse;
  };
  /** Until its courier has looked once: held and why, or what became of it. */
  verdict: {
    request: { readonly id: string; readonly timeoutMs: number };
    response: ShowResponse;
  };
  /** To whoever subscribes to a path; without a body, command and payload are the message. */
  route: {
    request: Omit<SendRequest, "to" | "body"> & { readonly path: string; readonly body?: string };
    response: RouteResponse;
  };
  /** Takes what waits. */
  receive: {
    request: MailboxRequest & { readonly limit?: number };
    response: { readonly messages: readonly BrokerMessage[] };
  };
  /** Oldest first; of many, the newest. */
  mailbox_history: {
    request: MailboxRequest & TimeWindow;
    response: { readonly messages: readonly BrokerMessage[] };
  };
  /** The reader has it. */
  ack: {
    request: {
      readonly id: string;
      readonly agent?: string;
      readonly session?: string;
      readonly claims: Claims;
    };
    response: { readonly messageId: MessageId; readonly states: readonly DeliveryState[] };
  };
  /** Without `who`: one's own. Only looks, unless told to take. */
  inbox: {
    request: {
      readonly who?: string;
      readonly take?: boolean;
      readonly limit?: number;
      readonly claims: Claims;
    };
    response: { readonly who: Address; readonly entries: readonly HistoryEntry[] };
  };
  sub_add: {
    request: MailboxRequest & { readonly pattern: string };
    response: SubscriptionsResponse;
  };
  sub_remove: {
    request: MailboxRequest & { readonly pattern: string };
    response: SubscriptionsResponse;
  };
  sub_list: { request: MailboxRequest; response: SubscriptionsResponse };
  /** Dead letters, oldest first; of many, the newest. */
  unmatched: {
    request: TimeWindow;
    response: { readonly messages: readonly (BrokerMessage & { readonly reason: string })[] };
  };
  unmatched_clear: { request: Record<never, never>; response: { readonly cleared: number } };
  /** Those that somebody is there for now. */
  unmatched_reroute: {
    request: { readonly id?: string };
    response: { readonly rerouted: number; readonly left: number };
  };
  /** One page of everything, oldest first; go on behind `next` until there is none. */
  export: {
    request: {
      readonly who?: string;
      readonly unmatched?: boolean;
      readonly after?: number;
      readonly limit?: number;
    };
    response: { readonly entries: readonly ExportedEntry[]; readonly next?: number };
  };
  session_add: {
    request: { readonly agent: string; readonly name: string; readonly title?: string };
    response: { readonly agent: AgentName; readonly sessionId: SessionId; readonly name: string };
  };
  remind: { request: RemindRequest; response: ShownReminder };
  reminders: {
    request: { readonly who?: string };
    response: { readonly reminders: readonly ShownReminder[] };
  };
  reminder_cancel: { request: { readonly id: string }; response: ShownReminder };
  /** Hears when another's turn ends, when it waits for its person, when it is gone. */
  watch: { request: WatchRequest; response: ShownWatch };
  unwatch: {
    request: { readonly who: string; readonly claims: Claims };
    response: { readonly ended: readonly ShownWatch[] };
  };
  watches: { request: { readonly claims: Claims }; response: { readonly watches: readonly ShownWatch[] } };
  session: { request: { readonly who: string }; response: ShownSession };
  /** Starts a program in a terminal that Bellhop hosts. */
  run: { request: RunRequest; response: RunResponse };
  /** What a person needs to attach: the client dials the host itself. */
  attach: {
    request: { readonly who: string };
    response: {
      readonly sessionId: SessionId;
      readonly agent: AgentName;
      readonly socket: string;
      readonly token: string;
    };
  };
  /** First asked, then made to. */
  session_stop: {
    request: { readonly who: string; readonly graceMs?: number };
    response: {
      readonly sessionId: SessionId;
      readonly agent: AgentName;
      readonly outcome: "stopped" | "running";
    };
  };
  /** The same program for the same agent, with its name and mailbox; `resume` also keeps its conversation. */
  restart: {
    request: {
      readonly who: string;
      readonly resume?: boolean;
      readonly environment: Readonly<Record<string, string>>;
      readonly columns?: number;
      readonly rows?: number;
    };
    response: RunResponse;
  };
  /** A child with a first message from its parent, who hears when it has answered. */
  spawn: {
    request: RunRequest & { readonly prompt: string };
    response: RunResponse & { readonly messageId: MessageId; readonly shortId: string };
  };
  /** Newest first. */
  history: {
    request: {
      readonly who?: string;
      readonly limit?: number;
      readonly fromTime?: Instant;
      readonly toTime?: Instant;
    };
    response: { readonly entries: readonly HistoryEntry[] };
  };
  show: { request: { readonly id: string }; response: ShowResponse };
  explain: { request: { readonly id: string }; response: ExplainResponse };
  /** The whole body, for an agent that was given a reference. What is for the reader is `read` from then on. */
  read: {
    request: { readonly id: string; readonly claims: Claims };
    response: { readonly message: ShownMessage };
  };
  /** `all`: with those that ended within a day. */
  ls: {
    request: { readonly all?: boolean };
    response: Pick<Overview, "sessions"> & Partial<Wants>;
  };
  /** What wants the person. */
  attention: {
    request: Record<never, never>;
    response: { readonly attention: readonly ShownAttention[]; readonly mail: number };
  };
  queue: {
    request: { readonly who?: string };
    response: { readonly deliveries: readonly QueuedDelivery[]; readonly drafts: readonly ShownDraft[] };
  };
  queue_change: {
    request: {
      readonly id: string;
      readonly change: "cancel" | "now" | "hold" | "move" | "priority";
      /** With `move`: it also gets that one's priority. */
      readonly before?: string;
      readonly priority?: string;
    };
    response: { readonly deliveries: readonly SentDelivery[] };
  };
  /** Cancels everything that waits for one. */
  queue_clear: {
    request: { readonly who: string };
    response: { readonly who: Address; readonly deliveries: readonly SentDelivery[] };
  };
  pause: {
    request: { readonly who: string; readonly paused: boolean };
    response: { readonly agent: AgentName; readonly paused: boolean };
  };
  draft_show: { request: { readonly who: string }; response: { readonly drafts: readonly ShownDraft[] } };
  draft_restore: { request: { readonly who: string }; response: { readonly draft: ShownDraft } };
  /** Without `who`: the caller's own session. */
  name: {
    request: { readonly who?: string; readonly name: string; readonly claims: Claims };
    response: { readonly agent: AgentName; readonly sessionId: SessionId };
  };
  agent_add: { request: { readonly name: string }; response: ShownAgent };
  agent_list: { request: Record<never, never>; response: { readonly agents: readonly ShownAgent[] } };
  agent_show: { request: { readonly name: string }; response: ShownAgent };
  agent_remove: {
    request: { readonly name: string; readonly force?: boolean };
    /** How many messages and reminders for it were cancelled. */
    response: { readonly name: AgentName; readonly cancelled: number; readonly reminders: number };
  };
  peek: {
    /** `lines`: so many of the last ones, also those that scrolled off; else the screen. */
    request: { readonly who: string; readonly ansi?: boolean; readonly lines?: number };
    response: {
      readonly sessionId: SessionId;
      readonly screen: string;
      /** It no longer runs: this is what it showed last. */
      readonly ending?: ShownEnding;
    };
  };
  /** The newest of what was said, oldest of it first, as the program itself wrote it down. */
  transcript: {
    request: { readonly who: string; readonly last?: number };
    response: ShownConversation;
  };
  diagnose: {
    request: Record<never, never>;
    response: {
      readonly sessions: readonly DiagnosedSession[];
      readonly servers: readonly { readonly name: string; readonly state: string }[];
    };
  };
  status: { request: Record<never, never>; response: StatusResponse };
  hook_event: { request: HookReport; response: HookEventResponse };
  stop: { request: Record<never, never>; response: { readonly stopping: true } };
}

export type Verb = keyof Verbs;
export type RequestOf<V extends Verb> = Verbs[V]["request"];
export type ResponseOf<V extends Verb> = Verbs[V]["response"];

/** The use-cases behind every door. */
export type UseCases = { readonly [V in Verb]: (request: RequestOf<V>) => Promise<ResponseOf<V>> };
/** As the doors call them: who asks is said with every request, and decides what may be asked. */
export type AskedUseCases = {
  readonly [V in Verb]: (request: RequestOf<V>, claims: Claims) => Promise<ResponseOf<V>>;
};

/** The answer to one line of JSON, snake_case on the wire; `payload` is opaque. */
export type ResponseEnvelope =
  | {
      readonly ok: true;
      readonly reqId?: string | number;
      readonly version: string;
      readonly result: unknown;
    }
  | {
      readonly ok: false;
      readonly reqId?: string | number;
      readonly version: string;
      readonly error: ErrorDetail;
    };
