/** What crosses a door, as types only: the client stands on this file and on nothing else. */
import type { ErrorDetail } from "../core/errors.ts";
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
  readonly origin: "discovered" | "added";
  readonly paused: boolean;
  readonly queued: number;
  readonly sessions: readonly {
    readonly id: SessionId;
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
  /** What waits, in the order it would go out. */
  readonly deliveries: readonly QueuedDelivery[];
  readonly drafts: readonly ShownDraft[];
}

export interface HistoryEntry {
  readonly message: ShownMessage;
  readonly delivery: Omit<ShownDelivery, "receipts">;
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
  remind: { request: RemindRequest; response: ShownReminder };
  reminders: {
    request: { readonly who?: string };
    response: { readonly reminders: readonly ShownReminder[] };
  };
  reminder_cancel: { request: { readonly id: string }; response: ShownReminder };
  session: { request: { readonly who: string }; response: ShownSession };
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
