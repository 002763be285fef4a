import {
  DELIVERY_STATES,
  type DeliveryId,
  EVIDENCE,
  type Receipt,
  TRANSPORTS,
} from "../../../core/message.ts";
import { choice, NUMBER, number, optional, SHOWN_TEXT } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { Table } from "../table.ts";
import { mustFindSequence, unknownDelivery } from "./deliveries.ts";
import { sequenceOf } from "./delivery-ids.ts";

const RECEIPTS = new Table<Receipt>({
  name: "receipts",
  key: "delivery",
  fields: {
    at: ["at", NUMBER],
    state: ["state", choice(DELIVERY_STATES)],
    transport: ["transport", optional(choice(TRANSPORTS))],
    evidence: ["evidence", optional(choice(EVIDENCE))],
    note: ["note", optional(SHOWN_TEXT)],
  },
});

export function appendReceipt(connection: Connection, deliveryId: DeliveryId, receipt: Receipt): void {
  const appended = connection
    .sql(
      `INSERT INTO receipts (delivery, number, ${RECEIPTS.columns})
       SELECT d.sequence, 1 + coalesce((SELECT max(r.number) FROM receipts r WHERE r.delivery = d.sequence), 0),
         ${RECEIPTS.marks}
       FROM deliveries d WHERE d.sequence = ?`,
    )
    .run(...RECEIPTS.values(receipt), mustFindSequence(connection, deliveryId));
  if (appended === 0) unknownDelivery(deliveryId);
}

/** First that it was queued, then the others in the order in which they were appended. */
export function receiptsOf(connection: Connection, deliveryId: DeliveryId): readonly Receipt[] {
  const sequence = sequenceOf(connection, deliveryId);
  const delivery = connection.sql("SELECT queued_at FROM deliveries WHERE sequence = ?").get(sequence);
  if (delivery === undefined) return [];
  const rows = connection
    .sql(`SELECT delivery, ${RECEIPTS.selected} FROM receipts WHERE delivery = ? ORDER BY number`)
    .all(sequence);
  const queued: Receipt = { at: number(delivery, "queued_at"), state: "queued" };
  return [queued, ...RECEIPTS.readAll(connection, rows)];
}
