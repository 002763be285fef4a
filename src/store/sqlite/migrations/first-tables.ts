/**
 * Messages and deliveries are found by small numbers internally and by ids externally. Millions of finished deliveries
 * may be stored, so queries that run at start or per delivery use an index whose first columns leave them out.
 *
 * Every accept pays for each index it touches with a page written and synced: no index exists where a number suffices.
 */
export const FIRST_TABLES = `
-- 0x42656c6c, "Bell": tells our file from any other database.
PRAGMA application_id = 1113943148;

-- A mailbox or sender by number, so that renaming an agent changes one row and not its whole history.
CREATE TABLE addresses (
  number INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE agents (
  name TEXT NOT NULL PRIMARY KEY,
  created_at INTEGER NOT NULL,
  origin TEXT NOT NULL,
  chosen INTEGER NOT NULL,
  paused INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  id TEXT NOT NULL PRIMARY KEY,
  agent TEXT NOT NULL,
  main INTEGER NOT NULL,
  program TEXT NOT NULL,
  identity TEXT,
  program_session_id TEXT,
  transcript_path TEXT,
  version TEXT,
  label TEXT NOT NULL,
  title TEXT NOT NULL,
  folder TEXT,
  branch TEXT,
  last_prompt TEXT,
  hooked INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  last_active_at INTEGER NOT NULL,
  exited_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_agent ON sessions (agent);
CREATE INDEX sessions_by_program ON sessions (program, program_session_id, last_active_at)
  WHERE program_session_id IS NOT NULL;

-- In order of acceptance, and so nearly of age: retention needs no index. No form is plain text; a digest is there
-- only with a key. The body comes last: what needs only the columns before it does not read its overflow pages.
CREATE TABLE messages (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  short_id TEXT NOT NULL UNIQUE,
  from_address TEXT NOT NULL,
  from_session TEXT,
  to_address TEXT NOT NULL,
  form TEXT,
  priority TEXT NOT NULL,
  command TEXT,
  source TEXT NOT NULL,
  external_id TEXT,
  reply_to TEXT,
  bound TEXT,
  hops INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  file TEXT NOT NULL,
  idempotency_key TEXT,
  content_digest TEXT,
  payload TEXT,
  body BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX messages_by_idempotency_key ON messages (idempotency_key) WHERE idempotency_key IS NOT NULL;

-- A delivery's sequence is its message's number * 65536 + its place among that message's deliveries (1, 2, …), and
-- its id the message's id, a dot and that place: each finds the other without an index.
CREATE TABLE deliveries (
  sequence INTEGER PRIMARY KEY,
  mailbox INTEGER NOT NULL,
  sender INTEGER NOT NULL,
  position REAL NOT NULL,
  priority TEXT NOT NULL,
  state TEXT NOT NULL,
  release_rule TEXT NOT NULL,
  hold TEXT,
  transport TEXT,
  evidence TEXT,
  attempts INTEGER NOT NULL,
  at_most_once INTEGER NOT NULL,
  possible_duplicate INTEGER NOT NULL,
  required_evidence TEXT,
  queued_at INTEGER NOT NULL,
  timeout_at INTEGER,
  attempt TEXT,
  attempt_session TEXT,
  attempt_at INTEGER
) STRICT;
CREATE INDEX deliveries_by_mailbox ON deliveries (state, mailbox, priority, position);
CREATE INDEX deliveries_by_attempt ON deliveries (attempt_session, state, attempt_at)
  WHERE attempt_session IS NOT NULL;
CREATE INDEX deliveries_unanswered ON deliveries (mailbox, sender) WHERE state IN ('delivered', 'read');

-- The first one, that it was queued, is the delivery itself and stored nowhere else.
CREATE TABLE receipts (
  delivery INTEGER NOT NULL REFERENCES deliveries (sequence) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  state TEXT NOT NULL,
  transport TEXT,
  evidence TEXT,
  note TEXT,
  PRIMARY KEY (delivery, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE unmatched (
  message INTEGER PRIMARY KEY REFERENCES messages (number) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  reason TEXT NOT NULL
) STRICT;

CREATE TABLE kept_drafts (
  id TEXT NOT NULL PRIMARY KEY,
  session_id TEXT NOT NULL,
  text BLOB NOT NULL,
  exact INTEGER NOT NULL,
  how TEXT NOT NULL,
  state TEXT NOT NULL,
  kept_at INTEGER NOT NULL,
  settled_at INTEGER,
  note TEXT
) STRICT;
CREATE INDEX kept_drafts_by_session ON kept_drafts (session_id, kept_at);
CREATE INDEX kept_drafts_by_age ON kept_drafts (kept_at);
CREATE INDEX kept_drafts_open ON kept_drafts (kept_at) WHERE settled_at IS NULL;
CREATE INDEX kept_drafts_settled ON kept_drafts (settled_at) WHERE settled_at IS NOT NULL;

CREATE TABLE hook_events (
  number INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL,
  event TEXT NOT NULL,
  emitted_at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  tokens TEXT NOT NULL,
  prompt_digest TEXT,
  sub_agent TEXT,
  detail TEXT
) STRICT;
CREATE INDEX hook_events_by_session ON hook_events (session_id, received_at);
`;
