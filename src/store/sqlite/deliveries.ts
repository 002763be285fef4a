import { BellhopError } from "../../core/errors.ts";
import {
  type Address,
  type Attempt,
  DELIVERY_STATES,
  type Delivery,
  type DeliveryId,
  type DeliveryState,
  EVIDENCE,
  HOLD_REASONS,
  type Hold,
  type MessageId,
  type Priority,
  type Release,
  type SessionId,
  TRANSPORTS,
} from "../../core/message.ts";
import type { Item, NewDelivery } from "../../ports/store.ts";
import { findAddress, internAddress } from "./addresses.ts";
import {
  choice,
  decode,
  decodeAll,
  flag,
  isRecord,
  number,
  optionalChoice,
  optionalJson,
  optionalNumber,
  present,
  text,
  toJson,
} from "./columns.ts";
import type { Connection, Row } from "./connection.ts";
import { MESSAGE_COLUMNS, messageOrigin, PRIORITIES, toMessage } from "./messages.ts";

const RELEASES = ["by-rule", "now", "withheld"] as const satisfies readonly Release[];

const DELIVERY_COLUMNS = `
  d.id AS delivery_id, m.id AS message_id, mailbox.path AS mailbox, d.sequence, d.position,
  d.priority AS delivery_priority, d.state, d.release_rule, d.hold, d.transport, d.evidence, d.attempts,
  d.at_most_once, d.possible_duplicate, d.required_evidence, d.queued_at, d.timeout_at, d.attempt`;

// CROSS JOIN keeps this order: the delivery is found first, through an index, then the two it names.
const FROM_DELIVERIES = `
  FROM deliveries d CROSS JOIN messages m ON m.number = d.message
  CROSS JOIN addresses mailbox ON mailbox.number = d.mailbox`;

export function insertDelivery(connection: Connection, delivery: NewDelivery): Delivery {
  const origin = messageOrigin(connection, delivery.messageId);
  if (origin === undefined) {
    throw new BellhopError("message.unknown", {
      message: `No message has the id "${delivery.messageId}".`,
      next: "Store the message before its deliveries.",
    });
  }
  const sequence = nextSequence(connection);
  connection
    .sql(
      `INSERT INTO deliveries (sequence, position, id, message, mailbox, sender, priority, state, release_rule,
         hold, transport, evidence, attempts, at_most_once, possible_duplicate, required_evidence, queued_at,
         timeout_at, attempt, attempt_session, attempt_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, 0, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      sequence,
      sequence,
      delivery.id,
      origin.number,
      internAddress(connection, delivery.to),
      internAddress(connection, origin.from),
      delivery.priority,
      delivery.state,
      delivery.release,
      delivery.hold === undefined ? undefined : toJson(delivery.hold),
      delivery.transport,
      delivery.evidence,
      delivery.atMostOnce,
      delivery.require,
      delivery.queuedAt,
      delivery.timeoutAt,
      delivery.attempt === undefined ? undefined : toJson(delivery.attempt),
      delivery.attempt?.sessionId,
      delivery.attempt?.startedAt,
    );
  return { ...delivery, sequence, position: sequence, attempts: 0, possibleDuplicate: false };
}

function nextSequence(connection: Connection): number {
  const row = connection.sql("SELECT seq FROM sqlite_sequence WHERE name = 'deliveries'").get();
  return (row === undefined ? 0 : number(row, "seq")) + 1;
}

export function mustFindDelivery(connection: Connection, id: DeliveryId): Delivery {
  const delivery = deliveryById(connection, id);
  if (delivery !== undefined) return delivery;
  throw new BellhopError("message.unknown", {
    message: `No delivery has the id "${id}".`,
    next: `List what waits with "bellhop queue".`,
  });
}

export function deliveryById(connection: Connection, id: DeliveryId): Delivery | undefined {
  const row = connection.sql(`SELECT ${DELIVERY_COLUMNS} ${FROM_DELIVERIES} WHERE d.id = ?`).get(id);
  return decode(connection, "deliveries", "delivery_id", row, readDelivery);
}

export function deliveriesOfMessage(connection: Connection, messageId: MessageId): readonly Delivery[] {
  const rows = connection
    .sql(
      `SELECT ${DELIVERY_COLUMNS} ${FROM_DELIVERIES}
       WHERE d.message = (SELECT number FROM messages WHERE id = ?) ORDER BY d.sequence`,
    )
    .all(messageId);
  return decodeAll(connection, "deliveries", "delivery_id", rows, readDelivery);
}

/** One mailbox, state and priority, in order of position. */
export function itemsInMailbox(
  connection: Connection,
  state: DeliveryState,
  mailbox: Address,
  priority: Priority,
  order: "oldest-first" | "newest-first",
  limit: number,
): readonly Item[] {
  const direction = order === "newest-first" ? "DESC" : "ASC";
  const rows = connection
    .sql(
      `SELECT ${DELIVERY_COLUMNS}, ${MESSAGE_COLUMNS} ${FROM_DELIVERIES}
       WHERE d.state = ? AND d.mailbox = ? AND d.priority = ?
       ORDER BY d.position ${direction}, d.sequence ${direction} LIMIT ?`,
    )
    .all(state, findAddress(connection, mailbox), priority, limit);
  return toItems(connection, rows);
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

export function countInMailbox(connection: Connection, state: DeliveryState, mailbox: Address): number {
  const row = connection
    .sql("SELECT count(*) AS count FROM deliveries WHERE state = ? AND mailbox = ?")
    .get(state, findAddress(connection, mailbox));
  return row === undefined ? 0 : number(row, "count");
}

export function countInState(connection: Connection, state: DeliveryState): number {
  const row = connection.sql("SELECT count(*) AS count FROM deliveries WHERE state = ?").get(state);
  return row === undefined ? 0 : number(row, "count");
}

/** Newest attempt first. */
export function itemsAttemptedIn(
  connection: Connection,
  sessionId: SessionId,
  state: DeliveryState,
  limit: number,
): readonly Item[] {
  const rows = connection
    .sql(
      `SELECT ${DELIVERY_COLUMNS}, ${MESSAGE_COLUMNS} ${FROM_DELIVERIES}
       WHERE d.attempt_session = ? AND d.state = ? ORDER BY d.attempt_at DESC, d.sequence DESC LIMIT ?`,
    )
    .all(sessionId, state, limit);
  return toItems(connection, rows);
}

/** An answer moves its delivery on to `replied`, so delivered or read means unanswered. */
export function newestUnansweredItem(connection: Connection, from: Address, to: Address): Item | undefined {
  const rows = connection
    .sql(
      `SELECT ${DELIVERY_COLUMNS}, ${MESSAGE_COLUMNS} ${FROM_DELIVERIES}
       WHERE d.mailbox = ? AND d.sender = ? AND d.state IN ('delivered', 'read')
       ORDER BY d.sequence DESC LIMIT 1`,
    )
    .all(findAddress(connection, to), findAddress(connection, from));
  return toItems(connection, rows)[0];
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

function readDelivery(row: Row): Delivery {
  return {
    id: text(row, "delivery_id"),
    messageId: text(row, "message_id"),
    to: text(row, "mailbox"),
    sequence: number(row, "sequence"),
    position: number(row, "position"),
    priority: choice(row, "delivery_priority", PRIORITIES),
    state: choice(row, "state", DELIVERY_STATES),
    release: choice(row, "release_rule", RELEASES),
    attempts: number(row, "attempts"),
    atMostOnce: flag(row, "at_most_once"),
    possibleDuplicate: flag(row, "possible_duplicate"),
    queuedAt: number(row, "queued_at"),
    ...present({
      hold: optionalJson(row, "hold", isHold),
      transport: optionalChoice(row, "transport", TRANSPORTS),
      evidence: optionalChoice(row, "evidence", EVIDENCE),
      require: optionalChoice(row, "required_evidence", EVIDENCE),
      timeoutAt: optionalNumber(row, "timeout_at"),
      attempt: optionalJson(row, "attempt", isAttempt),
    }),
  };
}

function isHold(value: unknown): value is Hold {
  return (
    isRecord(value) &&
    HOLD_REASONS.some((reason) => reason === value.reason) &&
    typeof value.since === "number" &&
    typeof value.release === "string"
  );
}

function isAttempt(value: unknown): value is Attempt {
  return (
    isRecord(value) &&
    typeof value.sessionId === "string" &&
    TRANSPORTS.some((transport) => transport === value.transport) &&
    typeof value.token === "string" &&
    typeof value.promptDigest === "string" &&
    typeof value.startedAt === "number" &&
    typeof value.wasBusy === "boolean" &&
    ["string", "undefined"].includes(typeof value.screenDigest)
  );
}
