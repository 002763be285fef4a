import {
  DELIVERY_STATES,
  type DeliveryId,
  EVIDENCE,
  type Receipt,
  TRANSPORTS,
} from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import { choice, decodeAll, number, optionalChoice, optionalText, withoutNul } from "../columns.ts";
import type { Connection, Row } from "../connection.ts";
import { mustFindSequence, unknownDelivery } from "./deliveries.ts";
import { sequenceOf } from "./delivery-ids.ts";

export function appendReceipt(connection: Connection, deliveryId: DeliveryId, receipt: Receipt): void {
  const appended = connection
    .sql(
      `INSERT INTO receipts (delivery, number, at, state, transport, evidence, note)
       SELECT d.sequence, 1 + coalesce((SELECT max(r.number) FROM receipts r WHERE r.delivery = d.sequence), 0),
         ?, ?, ?, ?, ?
       FROM deliveries d WHERE d.sequence = ?`,
    )
    .run(
      receipt.at,
      receipt.state,
      receipt.transport,
      receipt.evidence,
      withoutNul(receipt.note),
      mustFindSequence(connection, deliveryId),
    );
  if (appended === 0) unknownDelivery(deliveryId);
}

/** That it was queued, then the others in the order they were appended. */
export function receiptsOfDelivery(connection: Connection, deliveryId: DeliveryId): readonly Receipt[] {
  const sequence = sequenceOf(connection, deliveryId);
  if (sequence === undefined) return [];
  const delivery = connection.sql("SELECT queued_at FROM deliveries WHERE sequence = ?").get(sequence);
  if (delivery === undefined) return [];
  const rows = connection
    .sql(
      `SELECT r.delivery, r.at, r.state, r.transport, r.evidence, r.note FROM receipts r
       WHERE r.delivery = ? ORDER BY r.number`,
    )
    .all(sequence);
  const queued: Receipt = { at: number(delivery, "queued_at"), state: "queued" };
  return [queued, ...decodeAll(connection, "receipts", "delivery", rows, readReceipt)];
}

function readReceipt(row: Row): Receipt {
  return {
    at: number(row, "at"),
    state: choice(row, "state", DELIVERY_STATES),
    ...present({
      transport: optionalChoice(row, "transport", TRANSPORTS),
      evidence: optionalChoice(row, "evidence", EVIDENCE),
      note: optionalText(row, "note"),
    }),
  };
}
