import { BellhopError } from "../../../core/errors.ts";
import type {
  Address,
  Delivery,
  DeliveryId,
  DeliveryState,
  Instant,
  MessageId,
  Priority,
  SessionId,
  Source,
} from "../../../core/message.ts";
import type { Item, NewDelivery } from "../../../ports/store.ts";
import { findAddress, internAddress } from "../addresses.ts";
import { decode, decodeAll, number, optionalNumber, text, toJson } from "../columns.ts";
import type { Connection, Row } from "../connection.ts";
import { deliveryIdOf, messageNumber, PLACES, sequenceOf } from "./delivery-ids.ts";
import { readDelivery } from "./delivery-row.ts";
import { MESSAGE_COLUMNS, messageOrigin, toMessage } from "./messages.ts";

const DELIVERY_COLUMNS = `
  m.id || '.' || (d.sequence % ${PLACES}) AS delivery_id, m.id AS message_id, mailbox.path AS mailbox, d.sequence,
  d.position, d.priority AS delivery_priority, d.state, d.release_rule, d.hold, d.transport, d.evidence, d.attempts,
  d.at_most_once, d.any_way_in, d.possible_duplicate, d.required_evidence, d.queued_at, d.timeout_at, d.timeout_ms, d.owes,
  d.handled_by, d.attempt`;

// CROSS JOIN keeps this order: the delivery is found first, through an index, then the two it names.
const fromDeliveries = (index: "" | `INDEXED BY ${string}`) => `
  FROM deliveries d ${index} CROSS JOIN messages m ON m.number = d.sequence / ${PLACES}
  CROSS JOIN addresses mailbox ON mailbox.number = d.mailbox`;
const FROM_DELIVERIES = fromDeliveries("");

export function insertDelivery(connection: Connection, delivery: NewDelivery): Delivery {
  const origin = messageOrigin(connection, delivery.messageId);
  if (origin === undefined) {
    throw new BellhopError("message.unknown", {
      message: `No message has the id "${delivery.messageId}".`,
      next: "Store the message before its deliveries.",
    });
  }
  const place = origin.deliveries + 1;
  if (place >= PLACES) throw tooManyError(delivery.messageId);
  const sequence = origin.number * PLACES + place;
  connection
    .sql(
      `INSERT INTO deliveries (sequence, position, mailbox, sender, priority, state, release_rule, hold, transport,
         evidence, attempts, at_most_once, any_way_in, possible_duplicate, required_evidence, queued_at, timeout_at,
         timeout_ms, owes, handled_by, attempt, attempt_session, attempt_at)
       VALUES (?1, ?1, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      sequence,
      internAddress(connection, delivery.to),
      internAddress(connection, origin.from),
      delivery.priority,
      delivery.state,
      delivery.release,
      delivery.hold === undefined ? undefined : toJson(delivery.hold),
      delivery.transport,
      delivery.evidence,
      delivery.atMostOnce,
      delivery.anyWayIn === true ? true : undefined,
      delivery.require,
      delivery.queuedAt,
      delivery.timeoutAt,
      delivery.timeoutMs,
      delivery.owes === undefined ? undefined : toJson(delivery.owes),
      delivery.handledBy === undefined ? undefined : toJson(delivery.handledBy),
      delivery.attempt === undefined ? undefined : toJson(delivery.attempt),
      delivery.attempt?.sessionId,
      delivery.attempt?.startedAt,
    );
  origin.deliveries = place;
  const id = deliveryIdOf(delivery.messageId, sequence);
  return { ...delivery, id, sequence, position: sequence, attempts: 0, possibleDuplicate: false };
}

export function mustFindDelivery(connection: Connection, id: DeliveryId): Delivery {
  return deliveryById(connection, id) ?? unknownDelivery(id);
}

/** A number for whoever changes it; throws when there is no such delivery. */
export function mustFindSequence(connection: Connection, id: DeliveryId): number {
  return sequenceOf(connection, id) ?? unknownDelivery(id);
}

export function unknownDelivery(id: DeliveryId): never {
  throw new BellhopError("message.unknown", {
    message: `No delivery has the id "${id}".`,
    next: `List what waits with "bellhop queue".`,
  });
}

const BY_SEQUENCE = `SELECT ${DELIVERY_COLUMNS} ${FROM_DELIVERIES} WHERE d.sequence = ?`;

export function deliveryById(connection: Connection, id: DeliveryId): Delivery | undefined {
  const sequence = sequenceOf(connection, id);
  const row = sequence === undefined ? undefined : connection.sql(BY_SEQUENCE).get(sequence);
  return decode(connection, "deliveries", "delivery_id", row, readDelivery);
}

const OF_MESSAGE = `SELECT ${DELIVERY_COLUMNS} ${FROM_DELIVERIES}
  WHERE d.sequence > ? AND d.sequence < ? ORDER BY d.sequence`;

export function deliveriesOfMessage(connection: Connection, messageId: MessageId): readonly Delivery[] {
  const message = messageNumber(connection, messageId);
  if (message === undefined) return [];
  const rows = connection.sql(OF_MESSAGE).all(message * PLACES, (message + 1) * PLACES);
  return decodeAll(connection, "deliveries", "delivery_id", rows, readDelivery);
}

const IN_MAILBOX = `SELECT ${DELIVERY_COLUMNS}, ${MESSAGE_COLUMNS} ${FROM_DELIVERIES}
  WHERE d.state = ?1 AND d.mailbox = ?2 AND d.priority = ?3 AND d.queued_at >= ?4 AND d.queued_at < ?5`;

export interface MailboxWindow {
  readonly newestFirst: boolean;
  readonly from: Instant;
  readonly until: Instant;
  readonly limit: number;
  readonly forTerminals: boolean;
  readonly unheld: boolean;
  readonly source: Source | undefined;
}

/** Written out once each: a courier asks at every look. */
const IN_MAILBOX_TEXTS = new Map<string, string>();

function inMailboxText({ newestFirst, forTerminals, unheld, source }: MailboxWindow): string {
  const bySource = source !== undefined;
  const key = [newestFirst, forTerminals, unheld, bySource].map(Number).join("");
  const known = IN_MAILBOX_TEXTS.get(key);
  if (known !== undefined) return known;
  const conditions = [
    forTerminals ? " AND d.handled_by IS NULL" : "",
    unheld ? " AND d.hold IS NULL" : "",
    bySource ? " AND m.source = ?7" : "",
  ];
  const order = newestFirst ? "d.position DESC, d.sequence DESC" : "d.position, d.sequence";
  const text = `${IN_MAILBOX}${conditions.join("")} ORDER BY ${order} LIMIT ?6`;
  IN_MAILBOX_TEXTS.set(key, text);
  return text;
}

/** One mailbox, state and priority, in order of position. */
export function itemsInMailbox(
  connection: Connection,
  state: DeliveryState,
  mailbox: Address,
  priority: Priority,
  window: MailboxWindow,
): readonly Item[] {
  const address = findAddress(connection, mailbox);
  if (address === undefined) return [];
  const { from, until, limit, source } = window;
  const values = [state, address, priority, from, until, limit, ...(source === undefined ? [] : [source])];
  return toItems(connection, connection.sql(inMailboxText(window)).all(...values));
}

const OWING = `SELECT ${DELIVERY_COLUMNS}, ${MESSAGE_COLUMNS} ${FROM_DELIVERIES}
  WHERE d.owes IS NOT NULL AND d.state NOT IN ('queued', 'delivering', 'unconfirmed') ORDER BY d.sequence LIMIT ?`;

/** Finished, and somebody is still to be told. */
export function itemsOwing(connection: Connection, limit: number): readonly Item[] {
  return toItems(connection, connection.sql(OWING).all(limit));
}

// Said outright: left alone, SQLite walks everything that is queued, and this is asked after every change of a state.
const BY_TIMEOUT = "INDEXED BY deliveries_by_timeout";

const EXPIRING = `SELECT ${DELIVERY_COLUMNS}, ${MESSAGE_COLUMNS} ${fromDeliveries(BY_TIMEOUT)}
  WHERE d.state = 'queued' AND d.timeout_at IS NOT NULL AND d.timeout_at <= ? ORDER BY d.timeout_at LIMIT ?`;

export function itemsExpiring(connection: Connection, by: Instant, limit: number): readonly Item[] {
  return toItems(connection, connection.sql(EXPIRING).all(by, limit));
}

const NEXT_EXPIRY = `SELECT min(timeout_at) AS next FROM deliveries ${BY_TIMEOUT}
  WHERE state = 'queued' AND timeout_at IS NOT NULL`;

export function nextExpiry(connection: Connection): Instant | undefined {
  const row = connection.sql(NEXT_EXPIRY).get();
  return row === undefined ? undefined : optionalNumber(row, "next");
}

const EXPORTED = `SELECT ${DELIVERY_COLUMNS}, ${MESSAGE_COLUMNS} ${FROM_DELIVERIES}
  WHERE d.sequence > ?1 AND (?2 IS NULL OR d.mailbox IN (SELECT value FROM json_each(?2)))
  ORDER BY d.sequence LIMIT ?3`;

/** Every state, in order of acceptance: walks the table itself, for whoever wants all of it. */
export function itemsAfter(
  connection: Connection,
  mailboxes: readonly Address[] | undefined,
  after: number,
  limit: number,
): readonly Item[] {
  const numbers = mailboxes?.flatMap((mailbox) => findAddress(connection, mailbox) ?? []);
  const wanted = numbers === undefined ? undefined : JSON.stringify(numbers);
  return toItems(connection, connection.sql(EXPORTED).all(after, wanted, limit));
}

/** Hops from one mailbox to the next through the index, however many deliveries lie between. */
export function mailboxesWith(connection: Connection, state: DeliveryState): readonly Address[] {
  const mailboxes: Address[] = [];
  let last = 0;
  for (;;) {
    const row = connection
      .sql(
        `SELECT number, path FROM addresses
         WHERE number = (SELECT min(mailbox) FROM deliveries WHERE state = ? AND mailbox > ?)`,
      )
      .get(state, last);
    if (row === undefined) return mailboxes;
    mailboxes.push(text(row, "path"));
    last = number(row, "number");
  }
}

/** Waiting to go anywhere: a copy that may only be received waits for nobody. */
export function countWaitingInMailbox(connection: Connection, mailbox: Address): number {
  const address = findAddress(connection, mailbox);
  if (address === undefined) return 0;
  return (
    counted(
      connection,
      "SELECT count(*) AS count FROM deliveries WHERE state = 'queued' AND mailbox = ?",
      address,
    ) - counted(connection, `${COUNT_COPIES} AND mailbox = ?`, address)
  );
}

export function countWaiting(connection: Connection): number {
  return (
    counted(connection, "SELECT count(*) AS count FROM deliveries WHERE state = 'queued'") -
    counted(connection, COUNT_COPIES)
  );
}

const COUNT_COPIES = `SELECT count(*) AS count FROM deliveries INDEXED BY deliveries_copies
  WHERE handled_by IS NOT NULL AND state = 'queued'`;

function counted(connection: Connection, query: string, ...values: readonly number[]): number {
  const row = connection.sql(query).get(...values);
  return row === undefined ? 0 : number(row, "count");
}

const ATTEMPTED_IN = `SELECT ${DELIVERY_COLUMNS}, ${MESSAGE_COLUMNS} ${FROM_DELIVERIES}
  WHERE d.attempt_session = ? AND d.state = ? ORDER BY d.attempt_at DESC, d.sequence DESC LIMIT ?`;

/** Newest attempt first. */
export function itemsAttemptedIn(
  connection: Connection,
  sessionId: SessionId,
  state: DeliveryState,
  limit: number,
): readonly Item[] {
  return toItems(connection, connection.sql(ATTEMPTED_IN).all(sessionId, state, limit));
}

const NEWEST_UNANSWERED = `SELECT max(sequence) AS newest FROM deliveries
  WHERE mailbox = ? AND sender = ? AND state IN ('delivered', 'read')`;
const ITEM = `SELECT ${DELIVERY_COLUMNS}, ${MESSAGE_COLUMNS} ${FROM_DELIVERIES} WHERE d.sequence = ?`;

/** An answer moves its delivery on to `replied`, so delivered or read means unanswered. */
export function newestUnansweredItem(connection: Connection, from: Address, to: Address): Item | undefined {
  const sender = findAddress(connection, from);
  const mailbox = findAddress(connection, to);
  // An agent has many past sessions, and hardly any of them ever sent something or was written to.
  if (sender === undefined || mailbox === undefined) return undefined;
  const row = connection.sql(NEWEST_UNANSWERED).get(mailbox, sender);
  const newest = row === undefined ? undefined : optionalNumber(row, "newest");
  return newest === undefined ? undefined : toItems(connection, connection.sql(ITEM).all(newest))[0];
}

function toItems(connection: Connection, rows: readonly Row[]): readonly Item[] {
  const items: Item[] = [];
  for (const row of rows) {
    const delivery = decode(connection, "deliveries", "delivery_id", row, readDelivery);
    const message = toMessage(connection, row);
    if (delivery !== undefined && message !== undefined) items.push({ delivery, message });
  }
  return items;
}

function tooManyError(messageId: MessageId): BellhopError {
  return new BellhopError("store.failed", {
    message: `The message "${messageId}" has ${PLACES - 1} deliveries already.`,
    next: "Send it to fewer recipients at once.",
  });
}
