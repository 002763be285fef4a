// The rows that a message needs in Bellhop's tables, for the programs that do only the least: nothing is checked.
import { randomUUID } from "node:crypto";
import { DatabaseSync } from "@photostructure/sqlite";

const PLACES = 65_536;

/** As ours, those of a moment begin alike, so that the database adds them at the same place of its indexes. */
let moment = { endsAt: 0, beginning: "" };
export function newId(now) {
  if (now >= moment.endsAt) moment = { endsAt: now + 20, beginning: randomUUID().slice(0, 3) };
  return moment.beginning + randomUUID().slice(3);
}

/** Unlike ours, these never repeat. */
export function shortOf(id) {
  return id.slice(0, 3) + id.slice(-9);
}

/** A database that Bellhop has made before. */
export function openRows(path) {
  const database = new DatabaseSync(path);
  for (const pragma of ["synchronous = FULL", "cache_size = -8192", "wal_autocheckpoint = 1024"])
    database.exec(`PRAGMA ${pragma}`);
  const insertMessage = database.prepare(
    `INSERT INTO messages (id, short_id, from_address, to_address, priority, source, hops, created_at, file, body,
       idempotency_key, content_digest)
     VALUES (?, ?, 'person/bench', ?, 'normal', 'person', 0, ?, ?, CAST(? AS BLOB), ?, ?)`,
  );
  const byKey = database.prepare("SELECT id, content_digest FROM messages WHERE idempotency_key = ?");
  const insertDelivery = database.prepare(
    `INSERT INTO deliveries (sequence, position, mailbox, sender, priority, state, release_rule, attempts,
       at_most_once, possible_duplicate, queued_at, hold)
     VALUES (?1, ?1, ?2, 0, 'normal', 'queued', 'by-rule', 0, 0, 0, ?3, ?4)`,
  );
  const markDelivery = database.prepare(
    `UPDATE deliveries SET state = 'delivering', transport = 'paste', attempts = 1, attempt = ?2, attempt_session = ?3,
       attempt_at = ?4
     WHERE sequence = ?1`,
  );
  const insertReceipt = database.prepare(
    "INSERT INTO receipts (delivery, number, at, state, transport) VALUES (?, 1, ?, 'delivering', 'paste')",
  );
  return {
    /** All that `change` does is on disk when it returns. Not prepared: that would keep the database from being closed. */
    commit(change) {
      database.exec("BEGIN IMMEDIATE");
      const made = change();
      database.exec("COMMIT");
      return made;
    },
    isKnown: (key) => byKey.get(key) !== undefined,
    /** Returns the number of its first delivery but one. */
    message(id, { to, now, body, key = null, digest = null }) {
      const file = `shared/${now}-${id.slice(0, 8)}.md`;
      const stored = insertMessage.run(id, shortOf(id), to, now, file, body, key, digest);
      return Number(stored.lastInsertRowid) * PLACES;
    },
    delivery(first, place, now, hold) {
      insertDelivery.run(first + place, place, now, hold);
      return first + place;
    },
    mark(sequence, now, attempt, session) {
      markDelivery.run(sequence, attempt, session, now);
      insertReceipt.run(sequence, now);
    },
  };
}
