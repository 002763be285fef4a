/** A row of deliveries as a delivery. A value in another form than we write it is poison. */
import {
  type Attempt,
  DELIVERY_STATES,
  type Delivery,
  EVIDENCE,
  HOLD_REASONS,
  type Hold,
  type OwedNotices,
  type Release,
  TRANSPORTS,
} from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import {
  choice,
  flag,
  isRecord,
  isTexts,
  number,
  optionalChoice,
  optionalJson,
  optionalNumber,
  text,
} from "../columns.ts";
import type { Row } from "../connection.ts";
import { PRIORITIES } from "./messages.ts";

const RELEASES = ["by-rule", "now", "withheld"] as const satisfies readonly Release[];

export function readDelivery(row: Row): Delivery {
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
      anyWayIn: optionalNumber(row, "any_way_in") === 1 ? true : undefined,
      require: optionalChoice(row, "required_evidence", EVIDENCE),
      timeoutAt: optionalNumber(row, "timeout_at"),
      timeoutMs: optionalNumber(row, "timeout_ms"),
      owes: optionalJson(row, "owes", isOwed),
      handledBy: optionalJson(row, "handled_by", isTexts),
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

export function isOwed(value: unknown): value is OwedNotices {
  return (
    isRecord(value) &&
    typeof value.onDelivery === "boolean" &&
    ["number", "undefined"].includes(typeof value.afterMs)
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
    ["string", "undefined"].includes(typeof value.file) &&
    ["string", "undefined"].includes(typeof value.screenDigest)
  );
}
