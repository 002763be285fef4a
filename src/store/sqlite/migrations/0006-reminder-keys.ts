/** Which reminder a key was used for: also when it has come long ago, a repeated call must not set another. */
export const REMINDER_KEYS = `
CREATE TABLE reminder_keys (
  number INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  content_digest TEXT NOT NULL,
  timer TEXT NOT NULL,
  mailbox TEXT NOT NULL,
  session_id TEXT,
  due_at INTEGER NOT NULL,
  set_at INTEGER NOT NULL
) STRICT;
CREATE INDEX reminder_keys_by_age ON reminder_keys (set_at);
`;
