/** Who sends what to whom, and what became of it. */
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
} from "../../core/message.ts";

/** What a process can say of itself; the daemon decides what it is worth. */
export interface Claims {
  readonly user: string;
  /** `BELLHOP_SESSION_ID`. */
  readonly session?: SessionId;
  /** The program's own session variables that are set, by name. */
  readonly programSessions?: Readonly<Record<string, string>>;
  readonly tmux?: { readonly socket: string; readonly pane: string };
  /** Of the process that asks: those above it show which agent it works for, whatever its variables say. */
  readonly pid?: number;
  /** Set by the office, never on the wire: the person sits at that terminal, and its agent did not start this. */
  readonly besideAgent?: true;
  /** Set by the door for an agent's own token, whatever the caller says: it speaks for this agent and no other. */
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
  /** A person's words are typed or wait, unless this lets them take every way in. */
  readonly anyWayIn?: boolean;
  /** Dropped when nobody took it by then; 0: never; absent: as configured. */
  readonly timeoutMs?: number;
  readonly notifyOnDelivery?: boolean;
  /** Tells the sender this long after the delivery. */
  readonly notifyAfterMs?: number;
  /** Whoever sends it waits for the answer: refused where none could come meanwhile. */
  readonly asks?: boolean;
  readonly claims: Claims;
}

export interface SendResponse {
  readonly messageId: MessageId;
  readonly shortId: string;
  readonly unmatched: boolean;
  /** Why nobody gets it: it is a dead letter. */
  readonly reason?: string;
  /** Whose name is closest, where it is a dead letter for an agent. */
  readonly meant?: Address;
  readonly deliveries: readonly SentDelivery[];
  /** Set when this send answered another message. */
  readonly replyTo?: MessageId;
  readonly bound?: "explicit" | "implicit";
  /** The program of whom it is for has ended, and this agent works in the same folder: it may be the one meant. */
  readonly successor?: AgentName;
}

export interface SentDelivery {
  readonly id: string;
  readonly to: Address;
  readonly state: DeliveryState;
  readonly hold?: Hold;
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

export interface WaitResponse {
  readonly state: DeliveryState;
  readonly reached: boolean;
}

/** Where a question stands, and the first answer to it. */
export interface AnswerResponse {
  readonly state: DeliveryState;
  readonly hold?: Hold;
  readonly answer?: ShownMessage;
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

export interface TimeWindow {
  readonly limit?: number;
  readonly fromTime?: Instant;
  readonly toTime?: Instant;
}
