import {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryId,
  type DeliveryState,
  type Receipt,
} from "../../../core/message.ts";
import { movedOn, statesBefore } from "../../../core/transitions.ts";
import type { DeliveryPatch } from "../../../ports/store.ts";
import { toJson } from "../columns.ts";
import type { Bindable, Connection } from "../connection.ts";
import { mustFindDelivery, mustFindSequence } from "./deliveries.ts";
import { appendReceipt } from "./receipts.ts";

/**
 * Sets only the columns that change: SQLite rewrites every index that one of the named columns belongs to, and a
 * changed hold, the most frequent of all, belongs to none.
 */
export function updateDelivery(connection: Connection, id: DeliveryId, patch: DeliveryPatch): Delivery {
  const changes = changedColumns(patch);
  if (changes.length > 0) {
    const columns = changes.map(([column]) => `${column} = ?`).join(", ");
    connection
      .sql(`UPDATE deliveries SET ${columns} WHERE sequence = ?`)
      .run(...changes.map(([, value]) => value), mustFindSequence(connection, id));
  }
  return mustFindDelivery(connection, id);
}

/**
 * The one place that changes a state. Which state it may be in stands in the statement itself, so that nobody has to
 * look first.
 */
export function moveDelivery(
  connection: Connection,
  id: DeliveryId,
  receipt: Receipt,
  patch: DeliveryPatch,
): Delivery {
  const to = receipt.state;
  const changes: readonly Change[] = [["state", to], ...changedColumns(patch)];
  const columns = changes.map(([column]) => `${column} = ?`).join(", ");
  const moved = connection
    .sql(`UPDATE deliveries SET ${columns} WHERE sequence = ? AND state IN (${ALLOWED_BEFORE[to]})`)
    .run(...changes.map(([, value]) => value), mustFindSequence(connection, id));
  if (moved === 0) throw movedOn(id, mustFindDelivery(connection, id).state, to);
  appendReceipt(connection, id, receipt);
  return mustFindDelivery(connection, id);
}

const ALLOWED_BEFORE = Object.fromEntries(
  DELIVERY_STATES.map((to) => [
    to,
    statesBefore(to)
      .map((from) => `'${from}'`)
      .join(", "),
  ]),
) as Readonly<Record<DeliveryState, string>>;

type Change = readonly [column: string, value: Bindable];

/** Always in the same order, so that each combination is prepared once. */
function changedColumns(patch: DeliveryPatch): readonly Change[] {
  const columns: Change[] = [
    ["release_rule", patch.release],
    ["hold", written(patch.hold)],
    ["transport", patch.transport],
    ["evidence", patch.evidence],
    ["attempts", patch.attempts],
    ["possible_duplicate", patch.possibleDuplicate],
    ["attempt", written(patch.attempt)],
    ["attempt_session", patch.attempt === null ? null : patch.attempt?.sessionId],
    ["attempt_at", patch.attempt === null ? null : patch.attempt?.startedAt],
    ["owes", written(patch.owes)],
    ["position", patch.position],
    ["priority", patch.priority],
  ];
  return columns.filter(([, value]) => value !== undefined);
}

function written(value: object | null | undefined): string | null | undefined {
  return value === null || value === undefined ? value : toJson(value);
}
