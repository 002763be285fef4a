import { openDatabase } from "../../src/store/sqlite/open.ts";

/**
 * Delivered messages with their receipts, and some that wait. Written by SQL and without a journal, because through the
 * office it would take an hour.
 */
export async function fillStore(path: string, messages: number, waiting: number): Promise<void> {
  const database = await openDatabase(path);
  database.exec(`
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -600000;
    BEGIN;
    INSERT INTO agents (name, created_at, origin, chosen, paused) VALUES ('reader', 1, 'added', 1, 0);
    INSERT INTO addresses (number, path) VALUES (1, 'agent/reader'), (2, 'person/bench');
    CREATE TEMP TABLE numbers (i INTEGER PRIMARY KEY);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${messages})
      INSERT INTO numbers SELECT i FROM n;
    INSERT INTO messages (number, id, short_id, from_address, to_address, priority, source, hops, created_at, file, body)
      SELECT i, printf('%08x-0000-4000-8000-%012x', (i * 2654435761) & 4294967295, i),
        printf('%08x', (i * 2246822519) & 4294967295), 'person/bench', 'agent/reader', 'normal', 'person', 0,
        ${Date.now()}, printf('reader/%d.md', i), CAST(printf('%188d', i) AS BLOB)
      FROM numbers;
    INSERT INTO deliveries (sequence, mailbox, sender, position, priority, state, release_rule, attempts, at_most_once,
        possible_duplicate, queued_at, transport, evidence)
      SELECT i * 65536 + 1, 1, 2, i * 65536 + 1, 'normal', iif(i % ${messages / waiting} = 0, 'queued', 'read'), 'by-rule', 1, 0, 0,
        ${Date.now()}, 'paste', 'submitted'
      FROM numbers;
    INSERT INTO receipts (delivery, number, at, state, transport, evidence)
      SELECT i * 65536 + 1, place, ${Date.now()}, iif(place = 1, 'delivering', 'delivered'), 'paste', 'submitted'
      FROM numbers CROSS JOIN (SELECT 1 AS place UNION ALL SELECT 2);
    COMMIT;
    PRAGMA journal_mode = WAL;
  `);
  database.close();
}
