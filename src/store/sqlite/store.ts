import type { Address, DeliveryState } from "../../core/message.ts";
import { DELIVERY_STATES } from "../../core/message.ts";
import type { Trouble } from "../../core/trouble.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Item, KeptDraft, QueueFilter, Store, StoreReader, StoreWriter } from "../../ports/store.ts";
import { type Connection, connectionOver, type PoisonRow } from "./connection.ts";
import { type Database, loadDriver } from "./driver.ts";
import { DatabaseWatch } from "./files/database-watch.ts";
import { ForeignLock } from "./files/foreign-lock.ts";
import { GroupCommit } from "./group-commit.ts";
import {
  countWaiting,
  countWaitingInMailbox,
  deliveriesOfMessage,
  deliveryById,
  insertDelivery,
  itemsAfter,
  itemsAttemptedIn,
  itemsExpiring,
  itemsInMailbox,
  itemsOwing,
  mailboxesWith,
  newestUnansweredItem,
  nextExpiry,
} from "./messages/deliveries.ts";
import { moveDelivery, updateDelivery } from "./messages/delivery-changes.ts";
import {
  answerTo,
  findMessages,
  insertMessage,
  messageById,
  messageByIdempotencyKey,
  PRIORITIES,
} from "./messages/messages.ts";
import { appendReceipt, receiptsOfDelivery } from "./messages/receipts.ts";
import { forgetFinishedBefore } from "./messages/retention.ts";
import {
  clearUnmatched,
  deadLetters,
  deadLettersAfter,
  insertUnmatched,
  isUnmatched,
  removeUnmatched,
  unmatchedReason,
  unmatchedWishes,
} from "./messages/unmatched.ts";
import { IN_MEMORY, openDatabase } from "./open.ts";
import { moveReminders } from "./sessions/address-moves.ts";
import { agentByName, allAgents, putAgent, removeAgent, renameAgent } from "./sessions/agents.ts";
import { appendHookEvent, hookEventsSince } from "./sessions/hook-events.ts";
import { allKeptDrafts, keptDraftsOfSession, openKeptDrafts, putKeptDraft } from "./sessions/kept-drafts.ts";
import {
  liveSessions,
  putSession,
  removeSession,
  sessionById,
  sessionByName,
  sessionByProgramId,
  sessionsExitedAfter,
  sessionsIn,
  sessionsOf,
  sessionsOfConversation,
  sessionsOfProcess,
  sessionsStarting,
} from "./sessions/sessions.ts";
import {
  allSubscriptions,
  putSubscription,
  removeSubscription,
  subscriptionsOf,
} from "./sessions/subscriptions.ts";
import { putTold, removeTold, toldOf } from "./sessions/told.ts";
import { allWatches, putWatch, removeWatch, watchesOf } from "./sessions/watches.ts";
import { putReminderKey, reminderByKey } from "./time/reminder-keys.ts";
import {
  deadlineMark,
  nextTimer,
  putTimer,
  removeTimer,
  shiftDeadlines,
  timerById,
  timersDueBy,
} from "./time/timers.ts";

/** Kept from the garbage collector, which would close them. */
const LEFT_OPEN: Database[] = [];

const REAL_CLOCK: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  after(delayMs, call) {
    const timer = setTimeout(call, delayMs);
    return () => clearTimeout(timer);
  },
};

export interface StoreOptions {
  /** A file, or `:memory:`. */
  readonly path: string;
  readonly onPoison?: (row: PoisonRow) => void;
  /** By it the files are looked at also while nothing is written; without it only at every commit. */
  readonly clock?: Clock;
  readonly onTrouble?: (trouble: Trouble | undefined) => void;
  /** For tests: every change runs twice, the first time in vain. */
  readonly rehearses?: boolean;
}

export async function openStore(options: StoreOptions): Promise<Store> {
  const { path, onPoison = () => {}, clock = REAL_CLOCK, onTrouble: onChange = () => {} } = options;
  const database = await openDatabase(path);
  const connection = connectionOver(database, onPoison);
  const { rehearses } = options;
  if (path === IN_MEMORY) return storeOver(database, connection, { path, clock, rehearses });
  const connect = await loadDriver();
  const watch = new DatabaseWatch({ path, database, connect, clock, seal: connection.seal, onChange });
  if (options.clock !== undefined) watch.keepLooking();
  return storeOver(database, connection, { path, clock, watch, onChange });
}

export interface StoreSurroundings {
  readonly path: string;
  readonly clock: Clock;
  /** Of a database that is a file. */
  readonly watch?: DatabaseWatch;
  readonly onChange?: (trouble: Trouble | undefined) => void;
  readonly rehearses?: boolean | undefined;
}

export function storeOver(
  database: Database,
  connection: Connection,
  { path, clock, watch, onChange, rehearses }: StoreSurroundings = { path: IN_MEMORY, clock: REAL_CLOCK },
): Store {
  const lock = new ForeignLock(path, clock, onChange);
  const assertStands = () => watch?.assertStands();
  const commits = new GroupCommit({ database, connection, lock, assertStands, rehearses });
  const read = readerOver(connection);
  const writer: StoreWriter = { ...read, ...writesOver(connection) };
  let closed: Promise<void> | undefined;
  const closeNow = async (): Promise<void> => {
    await commits.close();
    // Else SQLite would write its pages into a file that is another's by now. The end of the process closes it.
    if (watch?.close() === "untouched") {
      LEFT_OPEN.push(database);
      return;
    }
    try {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Everything is committed in the log already; the next start takes it from there.
    }
    database.close();
    watch?.letGo();
  };
  return {
    read,
    write: (change) => commits.add(() => change(writer)),
    trouble: () => watch?.trouble() ?? lock.trouble(),
    close() {
      closed ??= closeNow();
      return closed;
    },
  };
}

function readerOver(connection: Connection): StoreReader {
  return { ...messagesOver(connection), ...sessionsOver(connection) };
}

type SessionReads =
  | "subscriptions"
  | "subscriptionsOf"
  | "agent"
  | "agents"
  | "session"
  | "sessions"
  | "sessionByName"
  | "sessionsOf"
  | "sessionsOfConversation"
  | "sessionsOfProcess"
  | "sessionsIn"
  | "sessionsStarting"
  | "sessionByProgramId"
  | "told"
  | "watches"
  | "keptDrafts"
  | "hookEvents";

function messagesOver(connection: Connection): Omit<StoreReader, SessionReads> {
  return {
    message: (id) => messageById(connection, id),
    answerTo: (id) => answerTo(connection, id),
    findMessages: (text, limit) => findMessages(connection, text, limit),
    findDelivery: (id) => deliveryById(connection, id),
    byIdempotencyKey: (key) => messageByIdempotencyKey(connection, key),
    deliveriesOf: (messageId) => deliveriesOfMessage(connection, messageId),
    receiptsOf: (deliveryId) => receiptsOfDelivery(connection, deliveryId),
    deliveries: (filter) => queuedItems(connection, filter),
    mailboxesWithQueued: () => mailboxesWith(connection, "queued"),
    countQueued: (mailboxes) =>
      mailboxes === undefined
        ? countWaiting(connection)
        : unique(mailboxes).reduce((sum, mailbox) => sum + countWaitingInMailbox(connection, mailbox), 0),
    attemptedIn: (sessionId, states, limit) =>
      unique(states)
        .flatMap((state) => itemsAttemptedIn(connection, sessionId, state, limit))
        .sort(byNewestAttempt)
        .slice(0, limit),
    newestUnanswered: (from, to) =>
      unique(from)
        .flatMap((sender) => unique(to).map((mailbox) => newestUnansweredItem(connection, sender, mailbox)))
        .reduce(newer, undefined),
    owing: (limit) => itemsOwing(connection, limit),
    nextExpiry: () => nextExpiry(connection),
    expiring: (by, limit) => itemsExpiring(connection, by, limit),
    timer: (id) => timerById(connection, id),
    timers: ({ dueBy = Number.MAX_SAFE_INTEGER, limit = WITHOUT_LIMIT }) =>
      timersDueBy(connection, dueBy, limit),
    nextTimer: () => nextTimer(connection),
    reminderByKey: (key) => reminderByKey(connection, key),
    deadlineMark: () => deadlineMark(connection),
    isUnmatched: (messageId) => isUnmatched(connection, messageId),
    unmatchedReason: (messageId) => unmatchedReason(connection, messageId),
    unmatchedWishes: (messageId) => unmatchedWishes(connection, messageId),
    unmatched: ({ before, from = 0, until = Number.MAX_SAFE_INTEGER, limit }) =>
      deadLetters(connection, { before: before ?? Number.MAX_SAFE_INTEGER, from, until, limit }),
    unmatchedAfter: (after, limit) => deadLettersAfter(connection, after, limit),
    itemsAfter: (mailboxes, after, limit) => itemsAfter(connection, mailboxes, after, limit),
  };
}

function sessionsOver(connection: Connection): Pick<StoreReader, SessionReads> {
  return {
    subscriptions: () => allSubscriptions(connection),
    subscriptionsOf: (owner) => subscriptionsOf(connection, owner),
    sessionByName: (agent, name) => sessionByName(connection, agent, name),
    agent: (name) => agentByName(connection, name),
    agents: () => allAgents(connection),
    session: (id) => sessionById(connection, id),
    sessions: (filter) =>
      filter?.exitedSince === undefined
        ? liveSessions(connection)
        : [...liveSessions(connection), ...sessionsExitedAfter(connection, filter.exitedSince)],
    sessionsOf: (agent, most) => sessionsOf(connection, agent, most),
    sessionsOfConversation: (program, id) => sessionsOfConversation(connection, program, id),
    sessionsOfProcess: (agentPid) => sessionsOfProcess(connection, agentPid),
    sessionsIn: (folder) => sessionsIn(connection, folder),
    sessionsStarting: (prefix) => sessionsStarting(connection, prefix),
    sessionByProgramId: (program, id) => sessionByProgramId(connection, program, id),
    told: (ids) => toldOf(connection, ids),
    watches: (filter) =>
      filter?.watched === undefined ? allWatches(connection) : watchesOf(connection, filter.watched),
    keptDrafts: (filter) => keptDrafts(connection, filter),
    hookEvents: (sessionId, since) => hookEventsSince(connection, sessionId, since),
  };
}

function writesOver(connection: Connection): Omit<StoreWriter, keyof StoreReader> {
  return {
    insertMessage: (message) => insertMessage(connection, message),
    insertDelivery: (delivery) => insertDelivery(connection, delivery),
    updateDelivery: (id, patch) => updateDelivery(connection, id, patch),
    moveDelivery: (id, receipt, patch = {}) => moveDelivery(connection, id, receipt, patch),
    appendReceipt: (id, receipt) => appendReceipt(connection, id, receipt),
    insertUnmatched: (messageId, at, reason, wishes = {}) =>
      insertUnmatched(connection, messageId, at, reason, wishes),
    removeUnmatched: (messageId) => removeUnmatched(connection, messageId),
    clearUnmatched: () => clearUnmatched(connection),
    putSubscription: (subscription) => putSubscription(connection, subscription),
    removeSubscription: (owner, pattern) => removeSubscription(connection, owner, pattern),
    putTimer: (timer) => putTimer(connection, timer),
    removeTimer: (id) => removeTimer(connection, id),
    moveReminders: (from, to) => moveReminders(connection, from, to),
    putReminderKey: (keyed) => putReminderKey(connection, keyed),
    shiftDeadlines: (byMs, since) => shiftDeadlines(connection, byMs, since),
    putAgent: (agent) => putAgent(connection, agent),
    renameAgent: (from, to) => renameAgent(connection, from, to),
    removeAgent: (name) => removeAgent(connection, name),
    putSession: (session) => putSession(connection, session),
    removeSession: (id) => removeSession(connection, id),
    putTold: (ids, at) => putTold(connection, ids, at),
    removeTold: (id) => removeTold(connection, id),
    putWatch: (watch) => putWatch(connection, watch),
    removeWatch: (id) => removeWatch(connection, id),
    putKeptDraft: (draft) => putKeptDraft(connection, draft),
    appendHookEvent: (event) => appendHookEvent(connection, event),
    forgetFinishedBefore: (at, limit) => forgetFinishedBefore(connection, at, limit),
  };
}

const WITHOUT_LIMIT = -1;

/** One indexed walk per state, mailbox and priority, then merged: no query ever sorts the finished ones. */
function queuedItems(connection: Connection, filter: QueueFilter): readonly Item[] {
  const limit = filter.limit ?? WITHOUT_LIMIT;
  const window = {
    newestFirst: filter.newestFirst === true,
    from: filter.from ?? 0,
    until: filter.until ?? Number.MAX_SAFE_INTEGER,
    limit,
    forTerminals: filter.forTerminals === true,
    unheld: filter.unheld === true,
    source: filter.source,
  };
  const priorities = filter.priority === undefined ? PRIORITIES : [filter.priority];
  const items = unique(filter.states ?? DELIVERY_STATES).flatMap((state) =>
    mailboxesOf(connection, filter, state).flatMap((mailbox) =>
      priorities.flatMap((priority) => itemsInMailbox(connection, state, mailbox, priority, window)),
    ),
  );
  items.sort(window.newestFirst ? (a, b) => byPosition(b, a) : byPosition);
  return limit === WITHOUT_LIMIT ? items : items.slice(0, limit);
}

function mailboxesOf(connection: Connection, filter: QueueFilter, state: DeliveryState): readonly Address[] {
  return filter.mailboxes === undefined ? mailboxesWith(connection, state) : unique(filter.mailboxes);
}

function keptDrafts(
  connection: Connection,
  filter: Parameters<StoreReader["keptDrafts"]>[0],
): readonly KeptDraft[] {
  const drafts =
    filter.sessionId !== undefined
      ? keptDraftsOfSession(connection, filter.sessionId)
      : filter.open === true
        ? openKeptDrafts(connection)
        : allKeptDrafts(connection);
  return filter.open === undefined ? drafts : drafts.filter((draft) => isOpen(draft) === filter.open);
}

function isOpen(draft: KeptDraft): boolean {
  return draft.settledAt === undefined && draft.state !== "restored";
}

function byPosition(a: Item, b: Item): number {
  return a.delivery.position - b.delivery.position || a.delivery.sequence - b.delivery.sequence;
}

function byNewestAttempt(a: Item, b: Item): number {
  const [first, second] = [a, b].map(({ delivery }) => delivery.attempt?.startedAt ?? 0);
  return (second ?? 0) - (first ?? 0) || b.delivery.sequence - a.delivery.sequence;
}

function newer(a: Item | undefined, b: Item | undefined): Item | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.delivery.sequence > a.delivery.sequence ? b : a;
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
