import { BellhopError } from "../../core/errors.ts";
import { DELIVERY_STATES, type DeliveryId, EVIDENCE, type Receipt, TRANSPORTS } from "../../core/message.ts";
import { choice, decodeAll, number, optionalChoice, optionalText, present, withoutNul } from "./columns.ts";
import type { Connection, Row } from "./connection.ts";

export function appendReceipt(connection: Connection, deliveryId: DeliveryId, receipt: Receipt): void {
  const appended = connection
    .sql(
      `INSERT INTO receipts (delivery, number, at, state, transport, evidence, note)
       SELECT d.sequence, 1 + coalesce((SELECT max(r.number) FROM receipts r WHERE r.delivery = d.sequence), 0),
         ?, ?, ?, ?, ?
       FROM deliveries d WHERE d.id = ?`,
    )
    .run(
      receipt.at,
      receipt.state,
      receipt.transport,
      receipt.evidence,
      withoutNul(receipt.note),
      deliveryId,
    );
  if (appended === 0) {
    throw new BellhopError("message.unknown", {
      message: `No delivery has the id "${deliveryId}".`,
      next: `List what waits with "bellhop queue".`,
    });
  }
}

/** In the order they were appended. */
export function receiptsOfDelivery(connection: Connection, deliveryId: DeliveryId): readonly Receipt[] {
  const rows = connection
    .sql(
      `SELECT r.delivery, r.at, r.state, r.transport, r.evidence, r.note FROM receipts r
       WHERE r.delivery = (SELECT sequence FROM deliveries WHERE id = ?) ORDER BY r.number`,
    )
    .all(deliveryId);
  return decodeAll(connection, "receipts", "delivery", rows, readReceipt);
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
