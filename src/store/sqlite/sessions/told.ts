import type { Instant } from "../../../core/message.ts";
import type { Connection } from "../connection.ts";

export const toldWrites = { putTold, removeTold };

function putTold(connection: Connection, ids: readonly string[], at: Instant): void {
  for (const id of ids)
    connection.sql("INSERT INTO told (id, at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING").run(id, at);
}

function removeTold(connection: Connection, id: string): void {
  connection.sql("DELETE FROM told WHERE id = ?").run(id);
}

export function told(connection: Connection, ids: readonly string[]): readonly string[] {
  return ids.filter((id) => connection.sql("SELECT id FROM told WHERE id = ?").get(id) !== undefined);
}

export function forgetToldBefore(connection: Connection, at: Instant, limit: number): void {
  connection
    .sql("DELETE FROM told WHERE id IN (SELECT id FROM told WHERE at < ? ORDER BY at LIMIT 0 + ?)")
    .run(at, limit);
}
