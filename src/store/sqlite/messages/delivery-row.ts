import {
  type Attempt,
  DELIVERY_STATES,
  type Delivery,
  EVIDENCE,
  HOLD_REASONS,
  type Hold,
  type OwedNotices,
  TRANSPORTS,
} from "../../../core/message.ts";
import { PRIORITIES } from "../../../core/priority.ts";
import {
  choice,
  FLAG,
  hasFields,
  isTexts,
  json,
  type Kind,
  MARK,
  NUMBER,
  optional,
  TEXT,
} from "../columns.ts";
import { Table } from "../table.ts";
import { PLACES } from "./delivery-ids.ts";

const SHOWN_HOLD = json(isHold);

/** Many deliveries wait for the same. */
const alreadyQuoted = new Map<string, string>();
const MOST_QUOTED = 1_024;

function quoted(release: string): string {
  const known = alreadyQuoted.get(release);
  if (known !== undefined) return known;
  const text = JSON.stringify(release);
  if (alreadyQuoted.size >= MOST_QUOTED) alreadyQuoted.clear();
  alreadyQuoted.set(release, text);
  return text;
}

/** Three plain fields: no need to look how deep it is, nor, for each of many deliveries, which fields there are. */
export const HOLD: Kind<Hold | undefined> = optional({
  bind: ({ reason, since, release }) =>
    `{"reason":"${reason}","since":${since},"release":${quoted(release)}}`,
  read: SHOWN_HOLD.read,
});

/** For a table aliased `d`, joined with its message `m` and the address `mailbox`. */
export const DELIVERIES = new Table<Delivery>({
  name: "deliveries",
  key: "d_id",
  alias: "d",
  computed: {
    id: `m.id || '.' || (d.sequence % ${PLACES})`,
    message_id: "m.id",
    mailbox: "mailbox.path",
  },
  fields: {
    id: ["id", TEXT],
    messageId: ["message_id", TEXT],
    to: ["mailbox", TEXT],
    sequence: ["sequence", NUMBER],
    position: ["position", NUMBER],
    priority: ["priority", choice(PRIORITIES)],
    state: ["state", choice(DELIVERY_STATES)],
    release: ["release_rule", choice(["by-rule", "now", "withheld"])],
    attempts: ["attempts", NUMBER],
    atMostOnce: ["at_most_once", FLAG],
    possibleDuplicate: ["possible_duplicate", FLAG],
    queuedAt: ["queued_at", NUMBER],
    hold: ["hold", HOLD],
    transport: ["transport", optional(choice(TRANSPORTS))],
    evidence: ["evidence", optional(choice(EVIDENCE))],
    anyWayIn: ["any_way_in", MARK],
    require: ["required_evidence", optional(choice(EVIDENCE))],
    timeoutAt: ["timeout_at", optional(NUMBER)],
    timeoutMs: ["timeout_ms", optional(NUMBER)],
    owes: ["owes", optional(json(isOwed))],
    handledBy: ["handled_by", optional(json(isTexts))],
    attempt: ["attempt", optional(json(isAttempt))],
  },
});

// CROSS JOIN keeps this order: first the delivery, through an index, then the two rows it refers to.
export const fromDeliveries = (index: "" | `INDEXED BY ${string}`) => `
  FROM deliveries d ${index} CROSS JOIN messages m ON m.number = d.sequence / ${PLACES}
  CROSS JOIN addresses mailbox ON mailbox.number = d.mailbox`;
export const FROM_DELIVERIES = fromDeliveries("");

function isHold(value: unknown): value is Hold {
  return (
    hasFields(value, { since: "number", release: "string" }) &&
    HOLD_REASONS.some((reason) => reason === value.reason)
  );
}

export function isOwed(value: unknown): value is OwedNotices {
  return hasFields(value, { onDelivery: "boolean", afterMs: "number?" });
}

function isAttempt(value: unknown): value is Attempt {
  return (
    hasFields(value, { sessionId: "string", token: "string", promptDigest: "string", startedAt: "number" }) &&
    hasFields(value, { wasBusy: "boolean", file: "string?", screenDigest: "string?" }) &&
    TRANSPORTS.some((transport) => transport === value.transport)
  );
}
