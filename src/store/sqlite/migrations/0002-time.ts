/** What comes at a time: reminders, follow-ups, and the deliveries that somebody is to be told about. */
export const TIME = `
ALTER TABLE deliveries ADD COLUMN owes TEXT;
CREATE INDEX deliveries_by_timeout ON deliveries (timeout_at) WHERE state = 'queued' AND timeout_at IS NOT NULL;
CREATE INDEX deliveries_owing ON deliveries (sequence)
  WHERE owes IS NOT NULL AND state NOT IN ('queued', 'delivering', 'unconfirmed');

-- Numbers are never given twice: "written after this moment" is a number too.
CREATE TABLE timers (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  fired INTEGER NOT NULL,
  counts TEXT NOT NULL,
  every_ms INTEGER,
  cron TEXT,
  mailbox INTEGER,
  session_id TEXT,
  set_by INTEGER,
  set_by_session TEXT,
  delivery_id TEXT,
  after_ms INTEGER,
  text BLOB
) STRICT;
CREATE INDEX timers_by_time ON timers (due_at);
CREATE INDEX timers_by_delivery ON timers (delivery_id) WHERE delivery_id IS NOT NULL;
`;
