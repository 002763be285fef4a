import type { Trouble } from "../core/errors.ts";
import type {
  Address,
  AgentName,
  Delivery,
  DeliveryId,
  DeliveryState,
  Instant,
  Message,
  MessageId,
  Priority,
  Receipt,
  SessionId,
  Source,
  Wishes,
} from "../core/message.ts";
import type { Agent, Session } from "../core/session.ts";
import type { Repeat } from "../core/time/schedule.ts";
import type { Watch } from "../core/watch.ts";
import type { TerminalIdentity } from "./terminal.ts";

export type StoredSession = Session<TerminalIdentity>;

export interface Item {
  readonly delivery: Delivery;
  readonly message: Message;
}

/** A person's text that Bellhop set aside, until it stands in the composer again. */
export interface KeptDraft {
  readonly id: string;
  readonly sessionId: SessionId;
  /** What could be read of it; with `stash` and `history` the program holds the exact text. */
  readonly text: string;
  readonly exact: boolean;
  readonly how: "stash" | "history" | "retype";
  readonly state: "keeping" | "kept" | "restoring" | "restored" | "left-to-person";
  readonly keptAt: Instant;
  readonly settledAt?: Instant;
  readonly note?: string;
}

export interface StoredHookEvent {
  readonly sessionId: SessionId;
  readonly event: string;
  readonly emittedAt: Instant;
  readonly receivedAt: Instant;
  /** Tokens of our messages found in a submitted prompt, and its digest: never the prompt itself. */
  readonly tokens: readonly string[];
  readonly promptDigest?: string;
  /** Set by a sub-agent's hook: it must not move the parent. */
  readonly subAgent?: string;
  readonly detail?: string;
}

export type ArrivedText = Pick<Message, "source" | "form" | "body">;

export interface NewMessage extends Message {
  readonly idempotencyKey?: string;
  /** With a key: digest of everything that makes two sends the same. */
  readonly contentDigest?: string;
}

/** The store gives it its id: the message's id, a dot, and its place among that message's deliveries. */
export type NewDelivery = Omit<Delivery, "id" | "sequence" | "position" | "attempts" | "possibleDuplicate">;

/** Something that Bellhop itself will say at a time. */
export interface Timer {
  readonly id: string;
  readonly dueAt: Instant;
  readonly createdAt: Instant;
  /** How often it has come already. */
  readonly fired: number;
  /** A delay counts time that passes; a date or a cron line is what the wall clock says. */
  readonly counts: "elapsed" | "wall";
  readonly repeat?: Repeat;
  readonly work:
    | {
        readonly kind: "reminder";
        readonly to: Address;
        /** Goes there while that session lives, else to `to`. */
        readonly sessionId?: SessionId;
        readonly setBy: Address;
        readonly setBySession?: SessionId;
        readonly text: string;
        /** In which it came last. */
        readonly lastMessage?: MessageId;
      }
    /** "5m since your message was delivered". */
    | { readonly kind: "follow-up"; readonly deliveryId: DeliveryId; readonly afterMs: number };
}

export type Reminder = Timer & { readonly work: Extract<Timer["work"], { kind: "reminder" }> };

/** What a key was used for, known beyond the reminder's end. */
export interface KeyedReminder {
  readonly key: string;
  /** Digest of everything that makes two calls the same. */
  readonly contentDigest: string;
  /** The reminder as it was set. */
  readonly id: string;
  readonly to: Address;
  readonly sessionId?: SessionId;
  readonly dueAt: Instant;
  readonly setAt: Instant;
}

/** Deadlines written after this moment. */
export interface DeadlineMark {
  readonly deliveries: number;
  readonly timers: number;
}

export type SubscriptionOwner =
  | { readonly kind: "agent"; readonly agent: AgentName }
  | { readonly kind: "session"; readonly sessionId: SessionId };

export interface Subscription {
  readonly owner: SubscriptionOwner;
  readonly pattern: string;
  readonly addedAt: Instant;
  /** Declared in the config file, and gone with its line there. */
  readonly origin: "asked" | "declared";
}

/** A message that nobody was there for. */
export interface DeadLetter {
  readonly message: Message;
  readonly at: Instant;
  readonly reason: string;
  /** Grows with each; where the next page begins. */
  readonly number: number;
}

/** `null` clears a field; an absent key leaves it. The state is not among them: see `moveDelivery`. */
export type DeliveryPatch = Partial<
  Pick<Delivery, "release" | "attempts" | "possibleDuplicate" | "position" | "priority">
> & {
  readonly [Field in "hold" | "transport" | "evidence" | "attempt" | "owes"]?: NonNullable<
    Delivery[Field]
  > | null;
};

export interface QueueFilter {
  readonly mailboxes?: readonly Address[];
  readonly states?: readonly DeliveryState[];
  readonly priority?: Priority;
  /** The other way round, and so the limit takes the newest. */
  readonly newestFirst?: boolean;
  /** Queued at this time or later, and before that one. */
  readonly from?: Instant;
  readonly until?: Instant;
  /** Leaves out what may only be received. */
  readonly forTerminals?: boolean;
  /** Only what nothing holds. */
  readonly unheld?: boolean;
  /** Only what came from there. */
  readonly source?: Source;
  readonly limit?: number;
}

export interface StoreReader {
  message(id: MessageId): Message | undefined;
  /** By id, short id, delivery id, or a prefix of at least four characters of any of them; at most `limit`. */
  findMessages(text: string, limit: number): readonly Message[];
  /** The first that somebody wrote in answer to this message. */
  answerTo(id: MessageId): Message | undefined;
  findDelivery(id: DeliveryId): Delivery | undefined;
  /** By the key with whose it is, as all keys are kept. */
  byIdempotencyKey(key: string): { readonly message: Message; readonly contentDigest: string } | undefined;
  deliveriesOf(messageId: MessageId): readonly Delivery[];
  /** The first is that it was queued; the rest in the order they were appended. */
  receiptsOf(deliveryId: DeliveryId): readonly Receipt[];
  /** In order of position. */
  deliveries(filter: QueueFilter): readonly Item[];
  /** In which something waits. */
  mailboxesWithQueued(): readonly Address[];
  /** Without what may only be received. */
  countQueued(mailboxes?: readonly Address[]): number;
  /** Deliveries whose last attempt went to this session, in one of these states, newest first. */
  attemptedIn(sessionId: SessionId, states: readonly DeliveryState[], limit: number): readonly Item[];
  /** The last few that arrived there, newest attempt first: how each begins, and what kind of sender says so. */
  arrivedIn(sessionId: SessionId): readonly ArrivedText[];
  /** The newest message from one of `from` to one of `to` that was delivered or read and has no answer. */
  newestUnanswered(from: readonly Address[], to: readonly Address[]): Item | undefined;
  /** Finished one way or another, and somebody is still to be told so; oldest first. */
  owing(limit: number): readonly Item[];
  /** The earliest time at which a queued delivery expires. */
  nextExpiry(): Instant | undefined;
  /** Queued, and to be dropped by then; earliest first. */
  expiring(by: Instant, limit: number): readonly Item[];
  timer(id: string): Timer | undefined;
  /** Earliest first. */
  timers(filter: { readonly dueBy?: Instant; readonly limit?: number }): readonly Timer[];
  nextTimer(): Instant | undefined;
  reminderByKey(key: string): KeyedReminder | undefined;
  deadlineMark(): DeadlineMark;
  isUnmatched(messageId: MessageId): boolean;
  /** Why it is a dead letter; undefined: it is none. */
  unmatchedReason(messageId: MessageId): string | undefined;
  /** What the sender of a dead letter wanted of its deliveries; undefined: it is none, or cannot be read. */
  unmatchedWishes(messageId: MessageId): Wishes | undefined;
  /** Newest first. */
  unmatched(filter: {
    readonly before?: number;
    readonly from?: Instant;
    readonly until?: Instant;
    readonly limit: number;
  }): readonly DeadLetter[];
  /** Oldest first, from behind this number. */
  unmatchedAfter(after: number, limit: number): readonly DeadLetter[];
  /** Everything ever delivered, to these mailboxes or to all, in order of acceptance, from behind this sequence. */
  itemsAfter(mailboxes: readonly Address[] | undefined, after: number, limit: number): readonly Item[];
  subscriptions(): readonly Subscription[];
  /** In order of their time. */
  subscriptionsOf(owner: SubscriptionOwner): readonly Subscription[];
  sessionByName(agent: AgentName, name: string): StoredSession | undefined;
  agent(name: AgentName): Agent | undefined;
  agents(): readonly Agent[];
  session(id: SessionId): StoredSession | undefined;
  /** Live ones, and the exited ones that ended after `exitedSince`. */
  sessions(filter?: { readonly exitedSince?: Instant }): readonly StoredSession[];
  /**
   * All that an agent ever had, live ones first. With `most`: the live ones, those made by name, and of the others so
   * many that ended last.
   */
  sessionsOf(agent: AgentName, most?: number): readonly StoredSession[];
  sessionsOfConversation(program: string, programSessionId: string): readonly StoredSession[];
  /** Whose program had this number: numbers are used again. */
  sessionsOfProcess(agentPid: number): readonly StoredSession[];
  /** That were in this folder when they were last seen. */
  sessionsIn(folder: string): readonly StoredSession[];
  /** Whose id begins so: hexadecimal digits. */
  sessionsStarting(prefix: string): readonly StoredSession[];
  sessionByProgramId(program: string, programSessionId: string): StoredSession | undefined;
  /** Which of these things the person was told. */
  told(ids: readonly string[]): readonly string[];
  /** Oldest first. */
  watches(filter?: { readonly watched?: SessionId }): readonly Watch[];
  keptDrafts(filter: { readonly sessionId?: SessionId; readonly open?: boolean }): readonly KeptDraft[];
  hookEvents(sessionId: SessionId, sinceReceived: Instant): readonly StoredHookEvent[];
}

export interface StoreWriter extends StoreReader {
  /** Nothing is stored when another message has its short id: try again with a new one. */
  insertMessage(message: NewMessage): "stored" | "short-id-taken";
  insertDelivery(delivery: NewDelivery): Delivery;
  /** What else is known about it; its state stays. */
  updateDelivery(id: DeliveryId, patch: DeliveryPatch): Delivery;
  /**
   * The one way into another state: that of this receipt, which is appended. Throws `delivery.moved_on`, and changes
   * nothing, where the table in `core/transitions.ts` does not let it follow.
   */
  moveDelivery(id: DeliveryId, receipt: Receipt, patch?: DeliveryPatch): Delivery;
  /** A note beside the state it is in. */
  appendReceipt(deliveryId: DeliveryId, receipt: Receipt): void;
  insertUnmatched(messageId: MessageId, at: Instant, reason: string, wishes?: Wishes): void;
  /** Whether it was one. Its message stays. */
  removeUnmatched(messageId: MessageId): boolean;
  /** How many there were. */
  clearUnmatched(): number;
  putSubscription(subscription: Subscription): void;
  /** Whether it was there. */
  removeSubscription(owner: SubscriptionOwner, pattern: string): boolean;
  putTimer(timer: Timer): void;
  removeTimer(id: string): void;
  /** Those for one, and those it set, are another's. */
  moveReminders(from: Address, to: Address): void;
  /** Each key once. */
  putReminderKey(keyed: KeyedReminder): void;
  /** The wall clock jumped: what counts time that passes moves with it; a date or a cron line does not. */
  shiftDeadlines(byMs: number, since: DeadlineMark): void;
  putAgent(agent: Agent): void;
  /** Renames it with its mailbox, its sessions and its keys, in whose place those of a removed namesake go. */
  renameAgent(from: AgentName, to: AgentName): void;
  removeAgent(name: AgentName): void;
  putSession(session: StoredSession): void;
  /** One that never ran. */
  removeSession(id: SessionId): void;
  /** The person was told these. */
  putTold(ids: readonly string[], at: Instant): void;
  /** It is over: should it come again, it is another. */
  removeTold(id: string): void;
  putWatch(watch: Watch): void;
  removeWatch(id: string): void;
  putKeptDraft(draft: KeptDraft): void;
  appendHookEvent(event: StoredHookEvent): void;
  /** Finished messages older than this, with everything that hangs on them; returns their file names. */
  forgetFinishedBefore(at: Instant, limit: number): readonly string[];
}

export interface Store {
  readonly read: StoreReader;
  /**
   * One transaction for all writes of one event-loop tick, one sync to disk, then every promise resolves.
   * A change that throws rejects its own promise and undoes only itself. Those beside it may then run once more: a
   * change reads and writes by `tx`, and what else it leaves behind is the same the second time.
   */
  write<T>(change: (tx: StoreWriter) => T): Promise<T>;
  /** Why nothing can be written just now: then nothing may be typed either. */
  trouble(): Trouble | undefined;
  close(): Promise<void>;
}
