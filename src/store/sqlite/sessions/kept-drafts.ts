import type { Instant } from "../../../core/message.ts";
import type { KeptDraft, StoreReader } from "../../../ports/store.ts";
import { choice, EXACT_TEXT, FLAG, NUMBER, optional, SHOWN_TEXT, TEXT } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { Table } from "../table.ts";

const DRAFTS = new Table<KeptDraft>({
  name: "kept_drafts",
  key: "id",
  fields: {
    id: ["id", TEXT],
    sessionId: ["session_id", TEXT],
    text: ["text", EXACT_TEXT],
    exact: ["exact", FLAG],
    how: ["how", choice(["stash", "history", "retype"])],
    state: ["state", choice(["keeping", "kept", "restoring", "restored", "left-to-person", "discarded"])],
    keptAt: ["kept_at", NUMBER],
    settledAt: ["settled_at", optional(NUMBER)],
    note: ["note", optional(SHOWN_TEXT)],
  },
});
const SELECT = `SELECT ${DRAFTS.selected} FROM kept_drafts`;

export function putKeptDraft(connection: Connection, draft: KeptDraft): void {
  connection
    .sql(
      `INSERT INTO kept_drafts (${DRAFTS.columns}) VALUES (${DRAFTS.marks})
       ON CONFLICT (id) DO UPDATE SET ${DRAFTS.overwritten}`,
    )
    .run(...DRAFTS.values(draft));
}

export function keptDrafts(
  connection: Connection,
  { sessionId, open }: Parameters<StoreReader["keptDrafts"]>[0],
): readonly KeptDraft[] {
  const rows =
    sessionId !== undefined
      ? connection.sql(`${SELECT} WHERE session_id = ? ORDER BY kept_at`).all(sessionId)
      : open === true
        ? connection.sql(`${SELECT} WHERE settled_at IS NULL ORDER BY kept_at`).all()
        : connection.sql(`${SELECT} ORDER BY kept_at`).all();
  const drafts = DRAFTS.readAll(connection, rows);
  return open === undefined ? drafts : drafts.filter((draft) => isOpen(draft) === open);
}

/** Open until it is restored to the composer or a person settles it. */
function isOpen({ settledAt, state }: KeptDraft): boolean {
  return settledAt === undefined && state !== "restored";
}

export function forgetDraftsSettledBefore(connection: Connection, at: Instant, limit: number): void {
  connection
    .sql(
      `DELETE FROM kept_drafts WHERE rowid IN
         (SELECT rowid FROM kept_drafts WHERE settled_at < ? ORDER BY settled_at LIMIT 0 + ?)`,
    )
    .run(at, limit);
}
