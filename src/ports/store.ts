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
import type { PushSubscription } from "../core/web/push-subscription.ts";
import type { WebSession } from "../core/web/web-session.ts";
import type { ClusterReader, ClusterWriter } from "./cluster-store.ts";
import type { OutsideReader, OutsideWriter } from "./outside-store.ts";
import type { TerminalIdentity } from "./terminal.ts";
import type { TurnReader, TurnWriter } from "./turn-store.ts";

export type StoredSession = Session<TerminalIdentity>;

export interface Item {
  readonly delivery: Delivery;
  readonly message: Message;
}

/** A person's text that Bellhop set aside until it is restored to the composer. */
export interface KeptDraft {
  readonly id: string;
  readonly sessionId: SessionId;
  /** What could be read of it; with `stash` and `history`, the program has the exact text. */
  readonly text: string;
  readonly exact: boolean;
  readonly how: "stash" | "history" | "retype";
  readonly state: "keeping" | "kept" | "restoring" | "restored" | "left-to-person" | "discarded";
  readonly keptAt: Instant;
  readonly settledAt?: Instant;
  readonly note?: string;
}

export interface StoredHookEvent {
  readonly sessionId: SessionId;
  readonly event: string;
  readonly emittedAt: Instant;
  readonly receivedAt: Instant;
  /** Tokens of our messages in a submitted prompt, and its digest; never the prompt itself. */
  readonly tokens: readonly string[];
  readonly promptDigest?: string;
  /** Set for a sub-agent's hook: it must not change the state of the parent. */
  readonly subAgent?: string;
  /** Where one window may run several: in which of them it happened. */
  readonly conversation?: string;
  readonly detail?: string;
}

export type ArrivedText = Pick<Message, "source" | "form" | "body">;

/** How a repeat of a message is recognised. */
export interface MessageKey {
  readonly idempotencyKey?: string;
  /** With a key: digest of everything that makes two sends equal. */
  readonly contentDigest?: string;
}

export interface NewMessage extends Message, MessageKey {}

/** The store assigns the id: the message's id, a dot, and its number among that message's deliveries. */
export type NewDelivery = Omit<Delivery, "id" | "sequence" | "position" | "attempts" | "possibleDuplicate">;

/** Something that Bellhop itself will say at a set time. */
export interface Timer {
  readonly id: string;
  readonly dueAt: Instant;
  readonly createdAt: Instant;
  /** How often it has fired. */
  readonly fired: number;
  /** A delay counts elapsed time; a date or a cron line follows the wall clock. */
  readonly counts: "elapsed" | "wall";
  readonly repeat?: Repeat;
  readonly work:
    | {
        readonly kind: "reminder";
        readonly to: Address;
        /** Goes to this session while it lives, else to `to`. */
        readonly sessionId?: SessionId;
        readonly setBy: Address;
        readonly setBySession?: SessionId;
        readonly text: string;
        /** The message with which it fired last. */
        readonly lastMessage?: MessageId;
      }
    /** "5m since your message was delivered". */
    | { readonly kind: "follow-up"; readonly deliveryId: DeliveryId; readonly afterMs: number };
}

export type Reminder = Timer & { readonly work: Extract<Timer["work"], { kind: "reminder" }> };

/** What a key was used for; kept after the reminder has ended. */
export interface KeyedReminder {
  readonly key: string;
  /** Digest of everything that makes two calls equal. */
  readonly contentDigest: string;
  /** The reminder as it was set. */
  readonly id: string;
  readonly to: Address;
  readonly sessionId?: SessionId;
  readonly dueAt: Instant;
  readonly setAt: Instant;
}

/** Marks the deadlines written after a moment. */
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
  /** `declared`: in the config file; removed with its line there. */
  readonly origin: "asked" | "declared";
}

/** A message that had no recipient. */
export interface DeadLetter {
  readonly message: Message;
  readonly at: Instant;
  readonly reason: string;
  /** Increasing; also the cursor of the next page. */
  readonly number: number;
}

/** Who wrote into which mailbox how often, over some deliveries. */
export interface TalkedPage {
  /** Without copies that can only be received. */
  readonly pairs: readonly { readonly from: Address; readonly mailbox: Address; readonly messages: number }[];
  /** Where the next page begins; absent after the last. */
  readonly before?: number;
  /** When the oldest of them was queued. */
  readonly oldest?: Instant;
}

export interface LettersPage {
  readonly senders: readonly { readonly from: Address; readonly messages: number }[];
  /** Where the next page begins; absent after the last. */
  readonly before?: number;
}

/** `null` clears a field; an absent key leaves it. Not for the state: see `moveDelivery`. */
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
  /** Reverses the order, so that the limit keeps the newest. */
  readonly newestFirst?: boolean;
  /** Queued at `from` or later, and before `until`. */
  readonly from?: Instant;
  readonly until?: Instant;
  /** Without copies that can only be received. */
  readonly forTerminals?: boolean;
  /** Only deliveries without a hold. */
  readonly unheld?: boolean;
  /** Only of the first so many of each mailbox and priority, whatever else is asked for: that takes a bounded time. */
  readonly among?: number;
  /** Only what somebody let go now. */
  readonly released?: boolean;
  /** Only messages from this source. */
  readonly source?: Source;
  /** Without what these sent. */
  readonly exceptFrom?: readonly Address[];
  readonly limit?: number;
}

export interface StoreReader extends OutsideReader, TurnReader, ClusterReader {
  message(id: MessageId): Message | undefined;
  /** By id, short id, delivery id, or a prefix of at least four characters of any of them; at most `limit`. */
  findMessages(text: string, limit: number): readonly Message[];
  /** The first answer to this message. */
  answerTo(id: MessageId): Message | undefined;
  findDelivery(id: DeliveryId): Delivery | undefined;
  /** The key includes its owner, as all stored keys do. */
  byIdempotencyKey(key: string): { readonly message: Message; readonly contentDigest: string } | undefined;
  deliveriesOf(messageId: MessageId): readonly Delivery[];
  /** The first says that it was queued; the rest are in the order in which they were appended. */
  receiptsOf(deliveryId: DeliveryId): readonly Receipt[];
  /** In order of position. */
  deliveries(filter: QueueFilter): readonly Item[];
  /** All that waits there for a terminal, in any order; undefined if that is more than `most`. */
  fewQueued(mailboxes: readonly Address[], most: number): readonly Item[] | undefined;
  /** The mailboxes in which something waits. */
  mailboxesWithQueued(): readonly Address[];
  /** The mailboxes from which something is being delivered. */
  mailboxesWithDelivering(): readonly Address[];
  /** Without copies that can only be received. */
  countQueued(mailboxes?: readonly Address[]): number;
  countDelivering(mailbox: Address): number;
  /** Deliveries whose last attempt went to this session, in one of these states, newest first. */
  attemptedIn(sessionId: SessionId, states: readonly DeliveryState[], limit: number): readonly Item[];
  /** The last few messages that arrived there, newest attempt first: the beginning and source of each. */
  arrivedIn(sessionId: SessionId): readonly ArrivedText[];
  /** The newest message from one of `from` to one of `to` that was delivered or read and has no answer. */
  newestUnanswered(from: readonly Address[], to: readonly Address[]): Item | undefined;
  /** Finished deliveries of which someone still has to be told; oldest first. */
  owing(limit: number): readonly Item[];
  /** The earliest time at which a queued delivery expires. */
  nextExpiry(): Instant | undefined;
  /** Queued deliveries that expire by then; earliest first. */
  expiring(by: Instant, limit: number): readonly Item[];
  timer(id: string): Timer | undefined;
  /** Earliest first. */
  timers(filter: { readonly dueBy?: Instant; readonly limit?: number }): readonly Timer[];
  nextTimer(): Instant | undefined;
  reminderByKey(key: string): KeyedReminder | undefined;
  deadlineMark(): DeadlineMark;
  isUnmatched(messageId: MessageId): boolean;
  /** Why it is a dead letter; undefined if it is not one. */
  unmatchedReason(messageId: MessageId): string | undefined;
  /** What the sender of a dead letter asked for; undefined if it is not one or cannot be read. */
  unmatchedWishes(messageId: MessageId): Wishes | undefined;
  /** Newest first. */
  unmatched(filter: {
    readonly before?: number;
    readonly from?: Instant;
    readonly until?: Instant;
    readonly limit: number;
  }): readonly DeadLetter[];
  /** Oldest first, after this number. */
  unmatchedAfter(after: number, limit: number): readonly DeadLetter[];
  /** Everything ever delivered to these mailboxes, or to all, in order of acceptance, after this sequence. */
  itemsAfter(mailboxes: readonly Address[] | undefined, after: number, limit: number): readonly Item[];
  /**
   * What came to these addresses or from them, newest first, before this sequence. Looks at a limited number of
   * deliveries: if `next` is there, older ones are to be looked at from there on.
   */
  itemsAbout(
    addresses: readonly Address[],
    before: number,
    limit: number,
  ): { readonly items: readonly Item[]; readonly next?: number };
  subscriptions(): readonly Subscription[];
  /** At most `limit`, in the order of their keys, after this one. */
  subscriptionsAfter(after: Subscription | undefined, limit: number): readonly Subscription[];
  /** The newest `limit` deliveries before this sequence, of messages since then, counted by sender and mailbox. */
  talked(filter: {
    readonly since: Instant;
    readonly until: Instant;
    readonly before?: number;
    readonly limit: number;
  }): TalkedPage;
  /** The newest `limit` dead letters before this one, since then, counted by sender. */
  unmatchedBySender(filter: {
    readonly since: Instant;
    readonly before?: number;
    readonly limit: number;
  }): LettersPage;
  /** In the order in which they were added. */
  subscriptionsOf(owner: SubscriptionOwner): readonly Subscription[];
  sessionByName(agent: AgentName, name: string): StoredSession | undefined;
  agent(name: AgentName): Agent | undefined;
  agents(): readonly Agent[];
  session(id: SessionId): StoredSession | undefined;
  /** Live sessions, and those that ended after `exitedSince`. */
  sessions(filter?: { readonly exitedSince?: Instant }): readonly StoredSession[];
  /**
   * All sessions an agent ever had, live ones first. With `most`: the live ones, those created by name, and of the
   * others the `most` that ended last.
   */
  sessionsOf(agent: AgentName, most?: number): readonly StoredSession[];
  sessionsOfConversation(program: string, programSessionId: string): readonly StoredSession[];
  /** Those whose program had this pid; pids are reused. */
  sessionsOfProcess(agentPid: number): readonly StoredSession[];
  /** Those that were last seen in this folder. */
  sessionsIn(folder: string): readonly StoredSession[];
  /** Those whose id starts with these hexadecimal digits. */
  sessionsStarting(prefix: string): readonly StoredSession[];
  sessionByProgramId(program: string, programSessionId: string): StoredSession | undefined;
  /** Which of these the person was told. */
  told(ids: readonly string[]): readonly string[];
  /** Oldest first. */
  watches(filter?: { readonly watched?: SessionId }): readonly Watch[];
  /** The one used last first. */
  webSessions(): readonly WebSession[];
  webSessionByCookie(cookieDigest: string): WebSession | undefined;
  pushSubscriptions(): readonly PushSubscription[];
  keptDrafts(filter: { readonly sessionId?: SessionId; readonly open?: boolean }): readonly KeptDraft[];
  hookEvents(sessionId: SessionId, sinceReceived: Instant): readonly StoredHookEvent[];
  /** The last one that was submitted by then. Among the latest to arrive: hooks may come out of order. */
  lastPrompt(sessionId: SessionId, by: Instant): StoredHookEvent | undefined;
}

export interface StoreWriter extends StoreReader, OutsideWriter, TurnWriter, ClusterWriter {
  /**
   * `short-id-taken`: another message has its short id and nothing was stored; try again with a new one. `key`: if it is
   * not in the message itself, of which a copy takes longer than the row.
   */
  insertMessage(message: NewMessage, key?: MessageKey): "stored" | "short-id-taken";
  insertDelivery(delivery: NewDelivery): Delivery;
  /** All are of the same message. */
  insertDeliveries(deliveries: readonly NewDelivery[]): readonly Delivery[];
  /** Changes other fields; the state stays. */
  updateDelivery(id: DeliveryId, patch: DeliveryPatch): Delivery;
  /**
   * The only way to change the state: to that of the receipt, which is appended. If the table in `core/transitions.ts`
   * does not allow it, throws `delivery.moved_on` and changes nothing.
   */
  moveDelivery(id: DeliveryId, receipt: Receipt, patch?: DeliveryPatch): Delivery;
  /** Into another mailbox, while it is queued: throws `delivery.moved_on` if it is not. Its place in the order stays. */
  readdressDelivery(id: DeliveryId, to: Address): Delivery;
  /** Adds a note without changing the state. */
  appendReceipt(deliveryId: DeliveryId, receipt: Receipt): void;
  insertUnmatched(messageId: MessageId, at: Instant, reason: string, wishes?: Wishes): void;
  /** Returns whether it was one. Its message stays. */
  removeUnmatched(messageId: MessageId): boolean;
  /** Returns how many there were. */
  clearUnmatched(): number;
  putSubscription(subscription: Subscription): void;
  /** Returns whether it existed. */
  removeSubscription(owner: SubscriptionOwner, pattern: string): boolean;
  putTimer(timer: Timer): void;
  removeTimer(id: string): void;
  /** Reminders for or by `from` become those of `to`. */
  moveReminders(from: Address, to: Address): void;
  /** A key is stored only once. */
  putReminderKey(keyed: KeyedReminder): void;
  /** The wall clock jumped: deadlines of elapsed time move with it; a date or a cron line does not. */
  shiftDeadlines(byMs: number, since: DeadlineMark): void;
  putAgent(agent: Agent): void;
  /** Renames it with its mailbox, sessions and keys; the keys of a removed agent of that name are deleted. */
  renameAgent(from: AgentName, to: AgentName): void;
  removeAgent(name: AgentName): void;
  putSession(session: StoredSession): void;
  /** Only for a session that never ran. */
  removeSession(id: SessionId): void;
  /** Records that the person was told these. */
  putTold(ids: readonly string[], at: Instant): void;
  /** It is over: if it comes again, the person is told again. */
  removeTold(id: string): void;
  putWatch(watch: Watch): void;
  removeWatch(id: string): void;
  putWebSession(session: WebSession): void;
  /** Does nothing if it has ended. */
  seeWebSession(id: string, at: Instant): void;
  /** It gets no more notifications either. */
  removeWebSession(id: string): void;
  /** In the place of what this browser had; no two have the same endpoint. */
  putPushSubscription(subscription: PushSubscription): void;
  removePushSubscription(webSession: string): void;
  putKeptDraft(draft: KeptDraft): void;
  appendHookEvent(event: StoredHookEvent): void;
  /** Deletes finished messages older than this with all that belongs to them; returns their file names. */
  forgetFinishedBefore(at: Instant, limit: number): readonly string[];
}

export interface Store {
  readonly read: StoreReader;
  /**
   * All writes of one event-loop tick are one transaction with one sync to disk; then every promise resolves.
   * A change that throws rejects its own promise and undoes only itself. The others may then run again, so a change
   * must read and write through `tx`, and any other effect of it must be the same the second time.
   */
  write<T>(change: (tx: StoreWriter) => T): Promise<T>;
  /** How many transactions were committed, and how many writes undone: by it others know what became of theirs. */
  writeCounts(): { readonly committed: number; readonly undone: number };
  /** Why nothing can be written now; then nothing may be typed either. */
  trouble(): Trouble | undefined;
  close(): Promise<void>;
}
