import type { Address } from "../../../core/message.ts";
import { keyRange } from "../../../core/rights/own-key.ts";
import type { Connection } from "../connection.ts";

/** An agent that gets another name keeps its keys. Those of a removed agent that had this name go. */
export function moveKeys(connection: Connection, from: Address, to: Address): void {
  const left = keyRange(to);
  connection
    .sql("UPDATE messages SET idempotency_key = NULL WHERE idempotency_key >= ? AND idempotency_key < ?")
    .run(...left);
  connection.sql("DELETE FROM reminder_keys WHERE key >= ? AND key < ?").run(...left);
  const moved = [to, from, ...keyRange(from)] as const;
  connection
    .sql(
      `UPDATE messages SET idempotency_key = ?1 || substr(idempotency_key, length(?2) + 1)
       WHERE idempotency_key >= ?3 AND idempotency_key < ?4`,
    )
    .run(...moved);
  connection
    .sql(
      `UPDATE reminder_keys SET key = ?1 || substr(key, length(?2) + 1)
       WHERE key >= ?3 AND key < ?4`,
    )
    .run(...moved);
  connection.sql("UPDATE reminder_keys SET mailbox = ? WHERE mailbox = ?").run(to, from);
}
