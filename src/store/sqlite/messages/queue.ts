/** Deliveries with their messages, by purpose: what waits, what was tried, what is owed. */
import {
  type Address,
  DELIVERY_STATES,
  type DeliveryState,
  type Instant,
  type SessionId,
} from "../../../core/message.ts";
import { PRIORITIES } from "../../../core/priority.ts";
import type { Item, QueueFilter } from "../../../ports/store.ts";
import { findAddress } from "../addresses.ts";
import { number, optionalNumber, text } from "../columns.ts";
import type { Connection, Row } from "../connection.ts";
import { DELIVERIES, FROM_DELIVERIES, fromDeliveries } from "./delivery-row.ts";
import { MESSAGES } from "./messages.ts";

const ITEMS = `SELECT ${DELIVERIES.selected}, ${MESSAGES.selected}`;
const SELECT = `${ITEMS} ${FROM_DELIVERIES}`;

export const queueReads = {
  deliveries,
  fewQueued,
  mailboxesWithQueued,
  mailboxesWithDelivering,
  countQueued,
  countDelivering,
  attemptedIn,
  newestUnanswered,
  owing,
  nextExpiry,
  expiring,
  itemsAfter,
  itemsAbout,
};

const IN_MAILBOX = `${SELECT}
  WHERE d.state = +?1 AND d.mailbox = ?2 AND d.priority = ?3 AND d.queued_at >= ?4 AND d.queued_at < ?5`;
/** Found through the index alone. */
const AMONG_FIRST = `AND d.sequence IN (SELECT sequence FROM deliveries
  WHERE state = +?1 AND mailbox = ?2 AND priority = ?3 ORDER BY position, sequence`;
const WITHOUT_LIMIT = -1;

function inMailbox(filter: QueueFilter): string {
  const { newestFirst, forTerminals, unheld, among, released, source, exceptFrom } = filter;
  const conditions = [
    exceptFrom === undefined ? "" : " AND d.sender NOT IN (SELECT value FROM json_each(?8))",
    forTerminals === true ? " AND d.handled_by IS NULL" : "",
    unheld === true ? " AND d.hold IS NULL" : "",
    among === undefined ? "" : ` ${AMONG_FIRST} LIMIT ${Math.trunc(among)})`,
    released === true ? " AND d.release_rule = 'now'" : "",
    source === undefined ? "" : " AND m.source = ?7",
  ];
  const order = newestFirst === true ? "d.position DESC, d.sequence DESC" : "d.position, d.sequence";
  return `${IN_MAILBOX}${conditions.join("")} ORDER BY ${order} LIMIT 0 + ?6`;
}

/** One indexed scan per state, mailbox and priority, then merged: no query ever sorts the finished deliveries. */
function deliveries(connection: Connection, filter: QueueFilter): readonly Item[] {
  const { from = 0, until = Number.MAX_SAFE_INTEGER, limit = WITHOUT_LIMIT, source, exceptFrom } = filter;
  const except = exceptFrom && JSON.stringify(addressesOf(connection, exceptFrom));
  const beside = except === undefined ? (source === undefined ? [] : [source]) : [source, except];
  const query = connection.sql(inMailbox(filter));
  const priorities = filter.priority === undefined ? PRIORITIES : [filter.priority];
  const items = unique(filter.states ?? DELIVERY_STATES).flatMap((state) =>
    addressesOf(connection, filter.mailboxes ?? mailboxesWith(connection, state)).flatMap((address) =>
      priorities.flatMap((priority) => {
        const values = [state, address, priority, from, until, limit];
        return toItems(connection, query.all(...values, ...beside));
      }),
    ),
  );
  items.sort(filter.newestFirst === true ? (a, b) => byPosition(b, a) : byPosition);
  return limit === WITHOUT_LIMIT ? items : items.slice(0, limit);
}

const FEW_QUEUED = `${SELECT} WHERE d.state = +?1 AND d.mailbox = ?2 AND d.handled_by IS NULL LIMIT 0 + ?3`;

/** One scan for all priorities, because a courier asks at every wake-up and nearly always for few. */
function fewQueued(
  connection: Connection,
  mailboxes: readonly Address[],
  most: number,
): readonly Item[] | undefined {
  const query = connection.sql(FEW_QUEUED);
  const rows: Row[] = [];
  for (const address of addressesOf(connection, mailboxes)) {
    rows.push(...query.all("queued", address, most + 1));
    if (rows.length > most) return undefined;
  }
  return toItems(connection, rows);
}

function mailboxesWithQueued(connection: Connection): readonly Address[] {
  return mailboxesWith(connection, "queued");
}

function mailboxesWithDelivering(connection: Connection): readonly Address[] {
  return mailboxesWith(connection, "delivering");
}

function byPosition(a: Item, b: Item): number {
  return a.delivery.position - b.delivery.position || a.delivery.sequence - b.delivery.sequence;
}

/** Skips from one mailbox to the next through the index, however many deliveries are between. */
function mailboxesWith(connection: Connection, state: DeliveryState): readonly Address[] {
  const mailboxes: Address[] = [];
  let last = 0;
  for (;;) {
    const row = connection
      .sql(
        `SELECT number, path FROM addresses
         WHERE number = (SELECT min(mailbox) FROM deliveries WHERE state = +? AND mailbox > ?)`,
      )
      .get(state, last);
    if (row === undefined) return mailboxes;
    mailboxes.push(text(row, "path"));
    last = number(row, "number");
  }
}

const OWING = `${SELECT}
  WHERE d.owes IS NOT NULL AND d.state NOT IN ('queued', 'delivering', 'unconfirmed') ORDER BY d.sequence LIMIT 0 + ?`;

/** Finished, and someone still has to be told. */
function owing(connection: Connection, limit: number): readonly Item[] {
  return toItems(connection, connection.sql(OWING).all(limit));
}

// Explicit: otherwise SQLite scans everything that is queued, and this is asked after every change of state.
const BY_TIMEOUT = "INDEXED BY deliveries_by_timeout";
const EXPIRING = `${ITEMS} ${fromDeliveries(BY_TIMEOUT)}
  WHERE d.state = 'queued' AND d.timeout_at IS NOT NULL AND d.timeout_at <= ? ORDER BY d.timeout_at LIMIT 0 + ?`;

function expiring(connection: Connection, by: Instant, limit: number): readonly Item[] {
  return toItems(connection, connection.sql(EXPIRING).all(by, limit));
}

const NEXT_EXPIRY = `SELECT min(timeout_at) AS next FROM deliveries ${BY_TIMEOUT}
  WHERE state = 'queued' AND timeout_at IS NOT NULL`;

function nextExpiry(connection: Connection): Instant | undefined {
  return optionalNumber(connection.sql(NEXT_EXPIRY).get(), "next");
}

const AFTER = `${SELECT}
  WHERE d.sequence > ?1 AND (?2 IS NULL OR d.mailbox IN (SELECT value FROM json_each(?2)))
  ORDER BY d.sequence LIMIT 0 + ?3`;

/** Every state, in order of acceptance: scans the table itself, for callers that want all of it. */
function itemsAfter(
  connection: Connection,
  mailboxes: readonly Address[] | undefined,
  after: number,
  limit: number,
): readonly Item[] {
  const numbers = mailboxes?.flatMap((mailbox) => findAddress(connection, mailbox) ?? []);
  const wanted = numbers === undefined ? undefined : JSON.stringify(numbers);
  return toItems(connection, connection.sql(AFTER).all(after, wanted, limit));
}

/** So many deliveries are looked at for one page: about as many milliseconds as there are thousands of them. */
const MOST_LOOKED_AT = 20_000;
const LOOKED_AT =
  "SELECT sequence FROM deliveries WHERE sequence < ? ORDER BY sequence DESC LIMIT 1 OFFSET 0 + ?";
const ABOUT = `${SELECT}
  WHERE d.sequence < ?1 AND d.sequence >= ?2
    AND (d.mailbox IN (SELECT value FROM json_each(?3)) OR d.sender IN (SELECT value FROM json_each(?3)))
  ORDER BY d.sequence DESC LIMIT 0 + ?4`;

/** In order of acceptance, which no index of a mailbox or a sender has: every accept would pay for it. */
function itemsAbout(
  connection: Connection,
  addresses: readonly Address[],
  before: number,
  limit: number,
): { readonly items: readonly Item[]; readonly next?: number } {
  const wanted = JSON.stringify(addressesOf(connection, addresses));
  const end = optionalNumber(connection.sql(LOOKED_AT).get(before, MOST_LOOKED_AT), "sequence");
  const rows = connection.sql(ABOUT).all(before, end ?? 0, wanted, limit);
  const items = toItems(connection, rows);
  const next = rows.length >= limit ? items.at(-1)?.delivery.sequence : end;
  return next === undefined ? { items } : { items, next };
}

const COUNT = "SELECT count(*) AS count FROM deliveries WHERE state = 'queued'";
const COUNT_COPIES = `SELECT count(*) AS count FROM deliveries INDEXED BY deliveries_copies
  WHERE handled_by IS NOT NULL AND state = 'queued'`;

const COUNT_IN_MAILBOX = `SELECT (${COUNT} AND mailbox = ?1) - (${COUNT_COPIES} AND mailbox = ?1) AS count`;

const COUNT_DELIVERING =
  "SELECT count(*) AS count FROM deliveries WHERE state = 'delivering' AND mailbox = ?";

function countDelivering(connection: Connection, mailbox: Address): number {
  const [address] = addressesOf(connection, [mailbox]);
  return optionalNumber(connection.sql(COUNT_DELIVERING).get(address), "count") ?? 0;
}

/** Without copies that can only be received: they wait for nobody. */
function countQueued(connection: Connection, mailboxes?: readonly Address[]): number {
  const counted = (query: string, ...values: readonly number[]) =>
    optionalNumber(connection.sql(query).get(...values), "count") ?? 0;
  if (mailboxes === undefined) return counted(COUNT) - counted(COUNT_COPIES);
  return addressesOf(connection, mailboxes)
    .map((address) => counted(COUNT_IN_MAILBOX, address))
    .reduce((sum, count) => sum + count, 0);
}

const ATTEMPTED_IN = `${SELECT}
  WHERE d.attempt_session = ? AND d.state = +? ORDER BY d.attempt_at DESC, d.sequence DESC LIMIT 0 + ?`;

/** Newest attempt first. */
export function attemptedIn(
  connection: Connection,
  sessionId: SessionId,
  states: readonly DeliveryState[],
  limit: number,
): readonly Item[] {
  return unique(states)
    .flatMap((state) => toItems(connection, connection.sql(ATTEMPTED_IN).all(sessionId, state, limit)))
    .sort(byNewestAttempt)
    .slice(0, limit);
}

function byNewestAttempt({ delivery: a }: Item, { delivery: b }: Item): number {
  return (b.attempt?.startedAt ?? 0) - (a.attempt?.startedAt ?? 0) || b.sequence - a.sequence;
}

/** More than there will be: a pair of their numbers is one number. */
const MOST_ADDRESSES = 2 ** 26;
/** Then those that were remembered are forgotten. */
const MOST_PAIRS = 10_000;

const NEWEST_UNANSWERED = `SELECT max(sequence) AS newest FROM deliveries
  WHERE mailbox = ? AND sender = ? AND state IN ('delivered', 'read')`;

/** An answer changes its delivery to `replied`, so delivered or read means unanswered. */
function newestUnanswered(
  connection: Connection,
  from: readonly Address[],
  to: readonly Address[],
): Item | undefined {
  // An agent has many past sessions, of which few ever sent or received anything.
  const mailboxes = addressesOf(connection, to);
  if (mailboxes.length === 0) return undefined;
  let found: Item | undefined;
  for (const sender of addressesOf(connection, from)) {
    for (const mailbox of mailboxes) {
      const newest = newestBetween(connection, mailbox, sender);
      if (newest !== undefined) found = newer(found, itemOf(connection, newest));
    }
  }
  return found;
}

const BY_SEQUENCE = `${SELECT} WHERE d.sequence = ?`;

function itemOf(connection: Connection, sequence: number): Item | undefined {
  const [item] = toItems(connection, connection.sql(BY_SEQUENCE).all(sequence));
  return item;
}

/** Most messages go to somebody who waits for no answer, and every message asks. */
function newestBetween(connection: Connection, mailbox: number, sender: number): number | undefined {
  const pair = mailbox * MOST_ADDRESSES + sender;
  const { answered } = connection.memory;
  if (answered?.has(pair) === true) return undefined;
  const newest = optionalNumber(connection.sql(NEWEST_UNANSWERED).get(mailbox, sender), "newest");
  if (newest !== undefined) return newest;
  if (answered === undefined || answered.size >= MOST_PAIRS) connection.memory.answered = new Set([pair]);
  else answered.add(pair);
  return undefined;
}

function newer(a: Item | undefined, b: Item | undefined): Item | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.delivery.sequence > a.delivery.sequence ? b : a;
}

function toItems(connection: Connection, rows: readonly Row[]): readonly Item[] {
  return rows.flatMap((row) => {
    const delivery = DELIVERIES.read(connection, row);
    const message = MESSAGES.read(connection, row);
    return delivery === undefined || message === undefined ? [] : [{ delivery, message }];
  });
}

/** The numbers of the known addresses, each once. */
function addressesOf(connection: Connection, paths: readonly Address[]): readonly number[] {
  const numbers: number[] = [];
  for (const path of unique(paths)) {
    const known = findAddress(connection, path);
    if (known !== undefined) numbers.push(known);
  }
  return numbers;
}

function unique<T>(values: readonly T[]): readonly T[] {
  return values.length < 2 ? values : [...new Set(values)];
}
