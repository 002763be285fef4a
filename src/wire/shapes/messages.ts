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
  Source,
  Transport,
} from "../../core/message.ts";

export interface SendResponse {
  readonly messageId: MessageId;
  readonly shortId: string;
  readonly unmatched: boolean;
  /** Why nobody gets it: it is a dead letter. */
  readonly reason?: string;
  /** Whose name is closest, where it is a dead letter for an agent. */
  readonly meant?: Address;
  readonly deliveries: readonly AddressedDelivery[];
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

/** As whoever sends it is told of it. */
export interface AddressedDelivery extends SentDelivery {
  /** Whose session it is, where it goes to a session. */
  readonly agent?: AgentName;
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
