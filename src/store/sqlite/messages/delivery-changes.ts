import {
  type Address,
  ARRIVED_STATES,
  DELIVERY_STATES,
  type Delivery,
  type DeliveryId,
  type DeliveryState,
  type Receipt,
} from "../../../core/message.ts";
import { movedOn, statesBefore } from "../../../core/transitions.ts";
import type { DeliveryPatch } from "../../../ports/store.ts";
import { internAddress } from "../addresses.ts";
import type { Connection } from "../connection.ts";
import type { Change } from "../table.ts";
import { isUnanswered, mustFindDelivery, mustFindSequence } from "./deliveries.ts";
import { DELIVERIES } from "./delivery-row.ts";
import { appendReceipt } from "./receipts.ts";

export const deliveryChanges = { updateDelivery, moveDelivery, readdressDelivery };

/**
 * Sets only the columns that change: SQLite rewrites every index that contains a named column, and the hold, which
 * changes most often, is in none.
 */
function updateDelivery(connection: Connection, id: DeliveryId, patch: DeliveryPatch): Delivery {
  const changes = changedColumns(patch);
  if (changes.length > 0) {
    const columns = changes.map(([column]) => `${column} = ?`).join(", ");
    connection
      .sql(`UPDATE deliveries SET ${columns} WHERE sequence = ?`)
      .run(...changes.map(([, value]) => value), mustFindSequence(connection, id));
  }
  const changed = mustFindDelivery(connection, id);
  // The session of the previous attempt is not known here.
  if (patch.attempt !== undefined && isArrived(changed.state)) delete connection.memory.arrived;
  return changed;
}

/**
 * The only place that changes a state. The statement itself checks the current state, so that nobody has to look
 * first.
 */
function moveDelivery(
  connection: Connection,
  id: DeliveryId,
  receipt: Receipt,
  patch: DeliveryPatch = {},
): Delivery {
  const to = receipt.state;
  const changes: readonly Change[] = [["state", to], ...changedColumns(patch)];
  const columns = changes.map(([column]) => `${column} = ?`).join(", ");
  const moved = connection
    .sql(`UPDATE deliveries SET ${columns} WHERE sequence = ? AND state IN (${ALLOWED_BEFORE[to]})`)
    .run(...changes.map(([, value]) => value), mustFindSequence(connection, id));
  if (moved === 0) throw movedOn(id, mustFindDelivery(connection, id).state, to);
  if (isUnanswered(to)) delete connection.memory.answered;
  appendReceipt(connection, id, receipt);
  const changed = mustFindDelivery(connection, id);
  // A delivery that has arrived never becomes `delivering` again, so the cache stays valid.
  if (to === "delivering") return changed;
  if (patch.attempt !== undefined) delete connection.memory.arrived;
  else if (changed.attempt !== undefined) connection.memory.arrived?.delete(changed.attempt.sessionId);
  return changed;
}

function readdressDelivery(connection: Connection, id: DeliveryId, to: Address): Delivery {
  const changed = connection
    .sql("UPDATE deliveries SET mailbox = ? WHERE sequence = ? AND state = 'queued'")
    .run(internAddress(connection, to), mustFindSequence(connection, id));
  const delivery = mustFindDelivery(connection, id);
  if (changed === 0) throw movedOn(id, delivery.state, "queued");
  return delivery;
}

function isArrived(state: DeliveryState): boolean {
  return ARRIVED_STATES.some((arrived) => arrived === state);
}

const ALLOWED_BEFORE = Object.fromEntries(
  DELIVERY_STATES.map((to) => [
    to,
    statesBefore(to)
      .map((from) => `'${from}'`)
      .join(", "),
  ]),
) as Readonly<Record<DeliveryState, string>>;

/** An attempt's session and time also have their own columns, for lookups. */
function changedColumns(patch: DeliveryPatch): readonly Change[] {
  const { attempt } = patch;
  const changes = DELIVERIES.changes(patch);
  if (attempt === undefined) return changes;
  return [
    ...changes,
    ["attempt_session", attempt?.sessionId ?? null],
    ["attempt_at", attempt?.startedAt ?? null],
  ];
}
