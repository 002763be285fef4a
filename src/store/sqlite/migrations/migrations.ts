import { CLUSTER_TABLES } from "./cluster-tables.ts";
import { FIRST_TABLES } from "./first-tables.ts";

/**
 * In order; a database's version is the number of migrations applied to it. A released one is never edited: a change is
 * a new one at the end.
 */
export const MIGRATIONS: readonly string[] = [
  FIRST_TABLES,
  // 2: Scheduled things: reminders, follow-ups, and the deliveries that someone is to be told about.
  `
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
`,
  // 3: Subscriptions; sessions created by name; messages from outside; copies that a session handled.
  `
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
`,
  // 4: The command of a hosted session, to restart it; who started it, and whether they were told of its first turn.
  `
ALTER TABLE sessions ADD COLUMN command TEXT;
ALTER TABLE sessions ADD COLUMN role TEXT;
ALTER TABLE sessions ADD COLUMN parent TEXT;
ALTER TABLE sessions ADD COLUMN owes_first_turn INTEGER NOT NULL DEFAULT 0;
`,
  // 5: What the sender of a dead letter asked for, for when it has a recipient.
  `
ALTER TABLE unmatched ADD COLUMN wishes TEXT;
`,
  // 6: Which reminder a key was used for: even long after it fired, a repeated call must not set another.
  `
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
`,
  // 7: The message with which a reminder fired last: while that waits, the next is skipped.
  `
ALTER TABLE timers ADD COLUMN last_message TEXT;
`,
  // 8: Owners and keys may contain a blank, so a newline separates them now. For existing reminder keys the end of
  // the owner is unknown; hardly any contains a blank.
  `
UPDATE messages
  SET idempotency_key = from_address || char(10) || substr(idempotency_key, length(from_address) + 2)
  WHERE substr(idempotency_key, 1, length(from_address) + 1) = from_address || ' ';
UPDATE reminder_keys
  SET key = substr(key, 1, instr(key, ' ') - 1) || char(10) || substr(key, instr(key, ' ') + 1)
  WHERE instr(key, ' ') > 0;
`,
  // 9: How long a sender wanted to wait: the resulting deadline moves if the clock is set.
  `
ALTER TABLE deliveries ADD COLUMN timeout_ms INTEGER;
`,
  // 10: Whether a sender allows any way in for a person's words; before, all did. What waits is typed now or waits on.
  `
ALTER TABLE deliveries ADD COLUMN any_way_in INTEGER;
`,
  // 11: The asker is shown the answer: it is found by the message it answers.
  `
CREATE INDEX messages_by_answered ON messages (reply_to) WHERE reply_to IS NOT NULL;
`,
  // 12: What Bellhop runs in a tmux window, so that it can be stopped and started again there.
  `
ALTER TABLE sessions ADD COLUMN tmux_window TEXT;
`,
  // 13: Copies that an agent can only receive, because one of its sessions also has the message: counted separately.
  `
CREATE INDEX deliveries_copies ON deliveries (state, mailbox) WHERE handled_by IS NOT NULL;
`,
  // 14: What the person was told, by subject: it is not told again after a restart.
  `
CREATE TABLE told (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX told_by_age ON told (at);
`,
  // 15: Who wants to hear of whose turns, questions and end.
  `
CREATE TABLE watches (
  id TEXT PRIMARY KEY,
  watcher TEXT NOT NULL,
  watcher_session TEXT,
  watched TEXT NOT NULL,
  events TEXT NOT NULL,
  once INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  turns_until INTEGER NOT NULL,
  told_question TEXT
) STRICT;
CREATE INDEX watches_by_watched ON watches (watched);
CREATE INDEX watches_by_watcher ON watches (watcher);
`,
  // 16: What came from outside and how to answer it there, what was said there, and what the desk decided.
  `
CREATE TABLE bridge_kept (
  bridge TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (bridge, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE origins (
  message_id TEXT PRIMARY KEY,
  bridge TEXT NOT NULL,
  path TEXT NOT NULL,
  external_id TEXT NOT NULL,
  answerable TEXT NOT NULL,
  thread TEXT,
  topic TEXT,
  button TEXT,
  answers TEXT NOT NULL,
  UNIQUE (bridge, external_id)
) STRICT;
CREATE TABLE spoken (
  bridge TEXT NOT NULL,
  external_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  path TEXT NOT NULL,
  agent TEXT,
  session_id TEXT,
  at INTEGER NOT NULL,
  UNIQUE (bridge, external_id)
) STRICT;
CREATE INDEX spoken_by_message ON spoken (message_id, at);
CREATE INDEX spoken_by_place ON spoken (path, at);
CREATE INDEX spoken_by_age ON spoken (at);
CREATE TABLE echoes (
  id TEXT PRIMARY KEY,
  path TEXT NOT NULL,
  digest TEXT NOT NULL,
  at INTEGER NOT NULL,
  eaten_by TEXT NOT NULL
) STRICT;
CREATE INDEX echoes_by_text ON echoes (path, digest, at);
CREATE INDEX echoes_by_age ON echoes (at);
CREATE TABLE relays (
  message_id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  path TEXT NOT NULL,
  considered TEXT NOT NULL,
  outcome TEXT NOT NULL,
  rule TEXT,
  relayed TEXT,
  label TEXT,
  despite TEXT,
  owes_confirmation INTEGER NOT NULL
) STRICT;
CREATE INDEX relays_by_relayed ON relays (relayed) WHERE relayed IS NOT NULL;
CREATE INDEX relays_by_place ON relays (path, at);
CREATE INDEX relays_by_age ON relays (at);
CREATE INDEX relays_owing ON relays (at) WHERE owes_confirmation = 1;
CREATE TABLE asked_back (
  message_id TEXT PRIMARY KEY,
  path TEXT NOT NULL,
  at INTEGER NOT NULL,
  text TEXT NOT NULL,
  choices TEXT NOT NULL
) STRICT;
CREATE INDEX asked_back_by_place ON asked_back (path, at);
CREATE INDEX asked_back_by_age ON asked_back (at);
CREATE TABLE dialog_keys (
  nonce TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  dialog TEXT NOT NULL,
  answer TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  used_at INTEGER,
  used_by TEXT
) STRICT;
CREATE INDEX dialog_keys_by_age ON dialog_keys (made_at);
CREATE INDEX dialog_keys_open ON dialog_keys (session_id) WHERE used_at IS NULL;
`,
  // 17: Whether anything came from a place.
  `
CREATE INDEX origins_by_place ON origins (path);
`,
  // 18: Automatic turns.
  `
CREATE TABLE turns (
  id TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  runner TEXT NOT NULL,
  deliveries TEXT NOT NULL,
  state TEXT NOT NULL,
  triggered INTEGER NOT NULL,
  again INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  process TEXT,
  verdict TEXT,
  because TEXT,
  answer BLOB,
  error TEXT,
  usd REAL,
  tokens_in REAL,
  tokens_out REAL
) STRICT;
CREATE INDEX turns_by_agent ON turns (agent, started_at);
CREATE INDEX turns_by_session ON turns (session_id, started_at);
CREATE INDEX turns_by_start ON turns (started_at);
CREATE INDEX turns_by_end ON turns (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX turns_open ON turns (started_at) WHERE state IN ('triage', 'running', 'answering', 'telling');
CREATE TABLE turn_of (
  delivery_id TEXT PRIMARY KEY,
  turn_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX turn_of_by_turn ON turn_of (turn_id);
CREATE TABLE auto_runs (
  owner TEXT PRIMARY KEY,
  words TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE turn_switch (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  off INTEGER NOT NULL,
  since INTEGER NOT NULL,
  turned_by TEXT NOT NULL
) STRICT;
CREATE TABLE conversation_log (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  text BLOB NOT NULL,
  messages TEXT NOT NULL
) STRICT;
CREATE INDEX conversation_log_by_session ON conversation_log (session_id, number);
CREATE INDEX conversation_log_by_age ON conversation_log (at);
`,
  // 19: Browsers that are logged in to the dashboard.
  `
CREATE TABLE web_sessions (
  id TEXT PRIMARY KEY,
  cookie_digest TEXT NOT NULL UNIQUE,
  key_digest TEXT NOT NULL,
  browser TEXT NOT NULL,
  host TEXT NOT NULL,
  logged_in_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
  // 20: Browsers that want notifications.
  `
CREATE TABLE push_subscriptions (
  web_session TEXT PRIMARY KEY,
  endpoint TEXT NOT NULL UNIQUE,
  public_key TEXT NOT NULL,
  secret TEXT NOT NULL,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
  // 21: Letters between hosts.
  CLUSTER_TABLES,
  // 22: From where an agent moved here, and for which agents a letter was sent on: another host may not say it again.
  // To which host an agent moved: what was on its way to it follows.
  `
ALTER TABLE agents ADD COLUMN came_from TEXT;
ALTER TABLE sent_letters ADD COLUMN followed TEXT;
CREATE TABLE departed_agents (
  name TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  left_at INTEGER NOT NULL
) STRICT;
CREATE INDEX departed_agents_by_age ON departed_agents (left_at);
`,
  // 23: In which of a window's conversations a hook reported something: another one's turn tells nothing of this one's.
  `
ALTER TABLE hook_events ADD COLUMN conversation TEXT;
`,
];
