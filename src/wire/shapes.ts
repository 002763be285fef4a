/** What crosses a door, as types only: the client stands on this file and on nothing else. */
import type { BellhopError, ErrorDetail } from "../core/errors.ts";
import type {
  Address,
  AgentName,
  DeliveryState,
  Evidence,
  Hold,
  Instant,
  Json,
  MessageId,
  Priority,
  Receipt,
  SessionId,
  Source,
  Transport,
} from "../core/message.ts";
import type { ReadinessKind } from "../core/readiness.ts";

/** What a process can say of itself; the daemon decides what it is worth. */
export interface Claims {
  readonly user: string;
  /** `BELLHOP_SESSION_ID`. */
  readonly session?: SessionId;
  /** The program's own session variables that are set, by name. */
  readonly programSessions?: Readonly<Record<string, string>>;
  readonly tmux?: { readonly socket: string; readonly pane: string };
  /** Set by the door for an agent's own token, whatever the caller says: he speaks for this agent and no other. */
  readonly agent?: AgentName;
}

export interface SendRequest {
  readonly to: string;
  readonly body: string;
  readonly priority?: string;
  readonly raw?: boolean;
  readonly keys?: readonly string[];
  readonly from?: string;
  /** Answers this message. */
  readonly re?: string;
  readonly command?: string;
  readonly payload?: Json;
  /** The outside system it was brought from, such as `slack`, and its id there. */
  readonly channel?: string;
  readonly externalId?: string;
  readonly idempotencyKey?: string;
  readonly require?: Evidence;
  readonly atMostOnce?: boolean;
  /** Dropped when nobody took it by then; 0: never; absent: as configured. */
  readonly timeoutMs?: number;
  readonly notifyOnDelivery?: boolean;
  /** Tells the sender this long after the delivery. */
  readonly notifyAfterMs?: number;
  readonly claims: Claims;
}

/** Exactly one of `afterMs`, `everyMs` alone, `at`, `cron`; `everyMs` may follow a first `afterMs` or `at`. */
export interface RemindRequest {
  readonly text: string;
  /** Without it: the caller's own session, or the person. */
  readonly to?: string;
  readonly afterMs?: number;
  readonly everyMs?: number;
  readonly at?: Instant;
  /** Five fields, in this machine's time zone. */
  readonly cron?: string;
  readonly from?: string;
  readonly claims: Claims;
}

export interface ShownReminder {
  readonly id: string;
  readonly to: Address;
  readonly sessionId?: SessionId;
  readonly text: string;
  readonly setBy: Address;
  readonly dueAt: Instant;
  readonly everyMs?: number;
  readonly cron?: string;
  readonly createdAt: Instant;
  /** How often it has come already. */
  readonly fired: number;
}

export interface SentDelivery {
  readonly id: string;
  readonly to: Address;
  readonly state: DeliveryState;
  readonly hold?: Hold;
}

export interface SendResponse {
  readonly messageId: MessageId;
  readonly shortId: string;
  readonly unmatched: boolean;
  /** Why nobody gets it: it is a dead letter. */
  readonly reason?: string;
  readonly deliveries: readonly SentDelivery[];
  /** Set when this send answered another message. */
  readonly replyTo?: MessageId;
  readonly bound?: "explicit" | "implicit";
}

export interface ShownMessage {
  readonly id: MessageId;
  readonly shortId: string;
  readonly from: Address;
  readonly to: Address;
  readonly body: string;
  readonly priority: Priority;
  readonly command?: string;
  readonly payload?: Json;
  readonly source: Source;
  readonly channel?: string;
  readonly externalId?: string;
  readonly replyTo?: MessageId;
  readonly bound?: "explicit" | "implicit";
  readonly createdAt: Instant;
  /** Absolute path of the persisted body. */
  readonly file: string;
}

export interface ShownDelivery extends SentDelivery {
  readonly transport?: Transport;
  readonly evidence?: Evidence;
  readonly attempts: number;
  readonly possibleDuplicate?: boolean;
  readonly queuedAt: Instant;
  readonly timeoutAt?: Instant;
  /** A running turn was stopped for it. */
  readonly interrupted?: boolean;
  readonly receipts: readonly Receipt[];
}

export interface ShowResponse {
  readonly message: ShownMessage;
  readonly deliveries: readonly ShownDelivery[];
}

export interface ExplainResponse {
  readonly messageId: MessageId;
  readonly shortId: string;
  readonly deliveries: readonly {
    readonly id: string;
    readonly to: Address;
    readonly state: DeliveryState;
    readonly hold?: Hold;
    /** Sentences, most important first. */
    readonly because: readonly string[];
  }[];
}

/** One mailbox: an agent's, or that of one of its sessions (its id, the name it was made by, or `main`). */
export interface MailboxRequest {
  readonly agent: string;
  readonly session?: string;
  readonly claims: Claims;
}

/** A message as the broker's protocol shows it. */
export interface BrokerMessage {
  readonly id: MessageId;
  readonly shortId: string;
  /** An agent's bare name, else an address. */
  readonly from: string;
  readonly path: Address;
  readonly command: string;
  readonly payload: Json;
  readonly body: string;
  readonly status: "pending" | "delivered";
  readonly timestamp: Instant;
  /** `internal`, or the outside system it came from. */
  readonly source: string;
  readonly externalId: string | null;
  /** Agents' copies only: one of its sessions has it too. */
  readonly handled?: boolean;
  readonly handledBy?: readonly HandledBy[];
  /** It may have been seen before. */
  readonly redelivered?: true;
}

export interface HandledBy {
  readonly agentId: AgentName;
  readonly sessionId: string;
}

export interface RouteResponse {
  readonly messageId: MessageId;
  readonly shortId: string;
  readonly delivered: boolean;
  readonly unmatched: boolean;
  readonly reason?: string;
  readonly deliveredTo: readonly AgentName[];
  readonly deliveredToSessions: readonly HandledBy[];
  readonly message: BrokerMessage;
}

export interface RunRequest {
  readonly command: readonly string[];
  readonly name?: string;
  readonly role?: string;
  readonly folder: string;
  /** Of whoever asks; what names his own session is left out. */
  readonly environment: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  /** `tmux`: in a window there, as that window's own command. */
  readonly where?: "pty" | "tmux";
  readonly claims: Claims;
}

export interface RunResponse {
  readonly sessionId: SessionId;
  readonly agent: AgentName;
  readonly terminal: ListedTerminal;
}

export interface ShownSubscription {
  readonly pattern: string;
  readonly addedAt: Instant;
}

export interface SubscriptionsResponse {
  readonly agent: AgentName;
  readonly session?: string;
  readonly subscriptions: readonly ShownSubscription[];
}

export interface TimeWindow {
  readonly limit?: number;
  readonly fromTime?: Instant;
  readonly toTime?: Instant;
}

export interface ListenRequest extends MailboxRequest {
  /** Takes each message by hearing it; without it, listening changes nothing. */
  readonly consume?: boolean;
}

export interface WatchEar {
  session(session: ShownSession): void;
  /** Once, and nothing after it: he is there no more. */
  over(error: BellhopError): void;
}

/** What does not end with one answer. */
export interface Streams {
  /** One mailbox owner as he stands, now and whenever that changes; rejects when there is nobody. */
  watch(
    request: { readonly who: string },
    ear: WatchEar,
  ): Promise<{ readonly agent: AgentName; close(): void }>;
  /** `push` says whether it reached the listener's connection. */
  listen(
    request: ListenRequest,
    push: (message: BrokerMessage) => "gone" | Promise<"written" | "gone">,
  ): Promise<{ readonly agent: AgentName; readonly session?: string; close(): void }>;
}

export interface ListedTerminal {
  readonly kind: "tmux" | "pty";
  readonly server?: string;
  readonly pane?: string;
}

export interface ListedSession {
  readonly id: SessionId;
  readonly agent: AgentName;
  readonly label: string;
  readonly program: string;
  readonly terminal: ListedTerminal | null;
  readonly readiness: ReadinessKind;
  readonly hold?: Hold;
  readonly queued: number;
  readonly headline: string;
}

export interface QueuedDelivery {
  readonly id: string;
  readonly messageId: MessageId;
  readonly shortId: string;
  readonly to: Address;
  readonly from: Address;
  readonly priority: Priority;
  readonly state: DeliveryState;
  readonly hold?: Hold;
  readonly queuedAt: Instant;
  readonly timeoutAt?: Instant;
  /** A person keeps it back or lets it through. */
  readonly release?: "now" | "withheld";
  readonly preview: string;
}

export interface ShownDraft {
  readonly sessionId: SessionId;
  readonly agent: AgentName;
  readonly text: string;
  readonly exact: boolean;
  readonly state: string;
  readonly keptAt: Instant;
  readonly note?: string;
}

export interface ShownAgent {
  readonly name: AgentName;
  readonly createdAt: Instant;
  readonly origin: "discovered" | "added" | "declared";
  readonly paused: boolean;
  readonly queued: number;
  readonly subscriptions: readonly ShownSubscription[];
  readonly sessions: readonly {
    readonly id: SessionId;
    readonly name?: string;
    readonly subscriptions: readonly ShownSubscription[];
    readonly program: string;
    readonly live: boolean;
    readonly label: string;
  }[];
}

/** One mailbox owner as he stands now. */
export interface ShownSession {
  readonly sessionId?: SessionId;
  readonly agent: AgentName;
  readonly readiness: ReadinessKind;
  readonly paused: boolean;
  /** Why the first of them waits. */
  readonly hold?: Hold;
  readonly program?: string;
  readonly headline?: string;
  readonly role?: string;
  readonly parent?: SessionId;
  /** How its program ended. */
  readonly exit?: { readonly code: number | null; readonly signal: number | null; readonly at: Instant };
  /** What waits, in the order it would go out. */
  readonly deliveries: readonly QueuedDelivery[];
  readonly drafts: readonly ShownDraft[];
}

export interface HistoryEntry {
  readonly message: ShownMessage;
  readonly delivery: Omit<ShownDelivery, "receipts">;
}

export interface ExportedEntry {
  readonly message: ShownMessage;
  readonly delivery?: ShownDelivery;
  /** A dead letter: why. */
  readonly reason?: string;
}

export interface StatusResponse {
  readonly running: true;
  readonly pid: number;
  readonly version: string;
  readonly home: string;
  readonly socket: string;
  readonly http: { readonly host: string; readonly port: number };
  readonly tokenFile: string;
  readonly sessions: number;
  readonly queued: number;
  readonly startedAt: Instant;
  /** What a person should know: a bad config kept back, a tmux server that does not answer. */
  readonly warnings: readonly string[];
}

export interface DiagnosedSession {
  readonly id: SessionId;
  readonly agent: AgentName;
  readonly program: string;
  readonly version?: string;
  readonly hooked: boolean;
  /** Rungs that are open for it now, best first, and why the others are not. */
  readonly transports: readonly Transport[];
  readonly closed: readonly { readonly transport: Transport; readonly why: string }[];
  readonly reading: string;
  readonly readiness: ReadinessKind;
  readonly because: string;
}

export interface HookEventRequest {
  readonly eventName: string;
  readonly program: string;
  /** Stamped when the hook ran. */
  readonly emittedAt: Instant;
  readonly payload: Json;
  readonly environment: Readonly<Record<string, string>>;
}

/** What the hook is to print for the agent program, if anything. */
export interface HookEventResponse {
  readonly output?: Json;
}

export interface WaitResponse {
  readonly state: DeliveryState;
  readonly reached: boolean;
}

/** One table: verb → what goes in and what comes out. Doors, client and use-cases all read it. */
export interface Verbs {
  send: { request: SendRequest; response: SendResponse };
  reply: { request: Omit<SendRequest, "to" | "re"> & { readonly id: string }; response: SendResponse };
  wait: {
    request: { readonly id: string; readonly state: DeliveryState; readonly timeoutMs?: number };
    response: WaitResponse;
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
    request: { readonly agent: string; readonly name: string };
    response: { readonly agent: AgentName; readonly sessionId: SessionId; readonly name: string };
  };
  remind: { request: RemindRequest; response: ShownReminder };
  reminders: {
    request: { readonly who?: string };
    response: { readonly reminders: readonly ShownReminder[] };
  };
  reminder_cancel: { request: { readonly id: string }; response: ShownReminder };
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
  /** The whole body, for an agent that was given a reference. */
  read: { request: { readonly id: string }; response: { readonly message: ShownMessage } };
  ls: { request: Record<never, never>; response: { readonly sessions: readonly ListedSession[] } };
  queue: {
    request: { readonly who?: string };
    response: { readonly deliveries: readonly QueuedDelivery[]; readonly drafts: readonly ShownDraft[] };
  };
  queue_change: {
    request: {
      readonly id: string;
      readonly change: "cancel" | "now" | "hold" | "move";
      readonly before?: string;
    };
    response: { readonly deliveries: readonly SentDelivery[] };
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
    response: { readonly name: AgentName; readonly cancelled: number };
  };
  peek: {
    request: { readonly who: string; readonly ansi?: boolean };
    response: { readonly sessionId: SessionId; readonly screen: string };
  };
  diagnose: {
    request: Record<never, never>;
    response: {
      readonly sessions: readonly DiagnosedSession[];
      readonly servers: readonly { readonly name: string; readonly state: string }[];
    };
  };
  status: { request: Record<never, never>; response: StatusResponse };
  hook_event: { request: HookEventRequest; response: HookEventResponse };
  stop: { request: Record<never, never>; response: { readonly stopping: true } };
}

export type Verb = keyof Verbs;
export type RequestOf<V extends Verb> = Verbs[V]["request"];
export type ResponseOf<V extends Verb> = Verbs[V]["response"];

/** The use-cases behind every door. */
export type UseCases = { readonly [V in Verb]: (request: RequestOf<V>) => Promise<ResponseOf<V>> };

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
