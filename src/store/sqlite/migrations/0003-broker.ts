/** Who subscribes to what; sessions that were made by name; messages from outside; copies that a session handled. */
export const BROKER = `
-- One of the two owners is set: an agent, or a session, whose agent its own row knows.
CREATE TABLE subscriptions (
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  pattern TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  origin TEXT NOT NULL,
  PRIMARY KEY (agent, session_id, pattern)
) STRICT, WITHOUT ROWID;

ALTER TABLE sessions ADD COLUMN name TEXT;
CREATE UNIQUE INDEX sessions_by_name ON sessions (agent, name) WHERE name IS NOT NULL;
ALTER TABLE messages ADD COLUMN channel TEXT;
ALTER TABLE deliveries ADD COLUMN handled_by TEXT;
`;
