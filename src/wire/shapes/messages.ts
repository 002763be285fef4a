/** Who sends what to whom, and what became of it. */
import type {
  Address,
  AgentName,
  Delivery,
  DeliveryState,
  Instant,
  Message,
  MessageId,
  Receipt,
} from "../../core/message.ts";

export interface SendResponse {
  readonly messageId: MessageId;
  readonly shortId: string;
  readonly unmatched: boolean;
  /** Why it is a dead letter. */
  readonly reason?: string;
  /** The closest name, if it is a dead letter for an agent. */
  readonly meant?: Address;
  readonly deliveries: readonly AddressedDelivery[];
  /** Set when this send answered another message. */
  readonly replyTo?: MessageId;
  readonly bound?: "explicit" | "implicit";
  /** The recipient's program has ended, and this agent works in the same folder: it may be the one meant. */
  readonly successor?: AgentName;
}

export interface SentDelivery extends Pick<Delivery, "id" | "to" | "state" | "hold"> {
  /** If `to` is the mailbox of another host: whom it is for there, or the path that somebody there hears. */
  readonly recipient?: Address;
}

/** What a sender is told about a delivery. */
export interface AddressedDelivery extends SentDelivery {
  /** The session's agent, if it goes to a session; the agent there, if it goes to another host. */
  readonly agent?: AgentName;
}

export interface ShownMessage extends Omit<Message, "fromSession" | "form" | "hops"> {
  /** Absolute path of the persisted body. */
  readonly file: string;
}

export interface ShownDelivery
  extends SentDelivery,
    Pick<Delivery, "transport" | "evidence" | "attempts" | "queuedAt" | "timeoutAt"> {
  readonly possibleDuplicate?: boolean;
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
  /** `because`: sentences, most important first. */
  readonly deliveries: readonly (SentDelivery & { readonly because: readonly string[] })[];
}

export interface WaitResponse {
  readonly state: DeliveryState;
  readonly reached: boolean;
}

/** The state of a question, and the first answer to it. */
export interface AnswerResponse extends Pick<SentDelivery, "state" | "hold"> {
  readonly answer?: ShownMessage;
}

export interface QueuedDelivery
  extends SentDelivery,
    Pick<Message, "shortId" | "from">,
    Pick<Delivery, "messageId" | "priority" | "queuedAt" | "timeoutAt"> {
  /** Whether a person lets it through or keeps it back. */
  readonly release?: "now" | "withheld";
  readonly preview: string;
}

/** One delivery, to an agent or from it, in few words: `show` has the whole text and every receipt. */
export interface TimelineEntry
  extends QueuedDelivery,
    Pick<Delivery, "transport" | "evidence">,
    Pick<Message, "source" | "bound"> {
  /** Its place in time: what came later has a larger one. */
  readonly number: number;
  /** When it became what it is. */
  readonly changedAt: Instant;
  /** How long its text is; `preview` is the beginning. */
  readonly characters: number;
  /** Short id of the message that it answers. */
  readonly re?: string;
  readonly raw?: true;
  readonly possibleDuplicate?: true;
}

export interface HistoryEntry {
  readonly message: ShownMessage;
  readonly delivery: Omit<ShownDelivery, "receipts">;
}

export interface ExportedEntry {
  readonly message: ShownMessage;
  readonly delivery?: ShownDelivery;
  /** Why it is a dead letter. */
  readonly reason?: string;
}
