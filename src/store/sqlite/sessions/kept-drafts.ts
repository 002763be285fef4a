import type { Instant, SessionId } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import type { KeptDraft } from "../../../ports/store.ts";
import {
  choice,
  decodeAll,
  exactText,
  flag,
  number,
  optionalNumber,
  optionalText,
  text,
  toExactBytes,
  withoutNul,
} from "../columns.ts";
import type { Connection, Row } from "../connection.ts";

const COLUMNS = "id, session_id, text, exact, how, state, kept_at, settled_at, note";

export function putKeptDraft(connection: Connection, draft: KeptDraft): void {
  connection
    .sql(
      `INSERT INTO kept_drafts (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET session_id = excluded.session_id, text = excluded.text,
         exact = excluded.exact, how = excluded.how, state = excluded.state, kept_at = excluded.kept_at,
         settled_at = excluded.settled_at, note = excluded.note`,
    )
    .run(
      draft.id,
      draft.sessionId,
      toExactBytes(draft.text),
      draft.exact,
      draft.how,
      draft.state,
      draft.keptAt,
      draft.settledAt,
      withoutNul(draft.note),
    );
}

export function allKeptDrafts(connection: Connection): readonly KeptDraft[] {
  return toDrafts(connection, connection.sql(`SELECT ${COLUMNS} FROM kept_drafts ORDER BY kept_at`).all());
}

/** Open until it is settled: by standing in the composer again, or by a person. */
export function openKeptDrafts(connection: Connection): readonly KeptDraft[] {
  const rows = connection
    .sql(`SELECT ${COLUMNS} FROM kept_drafts WHERE settled_at IS NULL ORDER BY kept_at`)
    .all();
  return toDrafts(connection, rows);
}

export function keptDraftsOfSession(connection: Connection, sessionId: SessionId): readonly KeptDraft[] {
  const rows = connection
    .sql(`SELECT ${COLUMNS} FROM kept_drafts WHERE session_id = ? ORDER BY kept_at`)
    .all(sessionId);
  return toDrafts(connection, rows);
}

export function forgetDraftsSettledBefore(connection: Connection, at: Instant, limit: number): void {
  connection
    .sql(
      `DELETE FROM kept_drafts WHERE rowid IN
         (SELECT rowid FROM kept_drafts WHERE settled_at < ? ORDER BY settled_at LIMIT ?)`,
    )
    .run(at, limit);
}

function toDrafts(connection: Connection, rows: readonly Row[]): readonly KeptDraft[] {
  return decodeAll(connection, "kept_drafts", "id", rows, readDraft);
}

function readDraft(row: Row): KeptDraft {
  return {
    id: text(row, "id"),
    sessionId: text(row, "session_id"),
    text: exactText(row, "text"),
    exact: flag(row, "exact"),
    how: choice(row, "how", ["stash", "history", "retype"]),
    state: choice(row, "state", ["keeping", "kept", "restoring", "restored", "left-to-person"]),
    keptAt: number(row, "kept_at"),
    ...present({ settledAt: optionalNumber(row, "settled_at"), note: optionalText(row, "note") }),
  };
}
