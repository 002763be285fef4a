import type { Delivery, DeliveryId } from "../../../core/message.ts";
import type { DeliveryPatch } from "../../../ports/store.ts";
import { toJson } from "../columns.ts";
import type { Bindable, Connection } from "../connection.ts";
import { mustFindDelivery, mustFindSequence } from "./deliveries.ts";

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

type Change = readonly [column: string, value: Bindable];

/** Always in the same order, so that each combination is prepared once. */
function changedColumns(patch: DeliveryPatch): readonly Change[] {
  const columns: Change[] = [
    ["state", patch.state],
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
