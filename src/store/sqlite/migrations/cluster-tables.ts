/**
 * What went to other hosts, what came from them, and what they last said. What is over is in none of the indexes by which
 * it is walked; what is delivered or read is not over, until it is forgotten with its message.
 */
export const CLUSTER_TABLES = `
-- Numbered in the order in which they were first sent, which is the order in which they go again.
CREATE TABLE sent_letters (
  number INTEGER PRIMARY KEY,
  delivery INTEGER NOT NULL UNIQUE REFERENCES deliveries (sequence) ON DELETE CASCADE,
  host TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  stored_at INTEGER,
  attempts INTEGER NOT NULL,
  sealed_for TEXT,
  heeded INTEGER NOT NULL,
  heard_at INTEGER,
  withdrawn TEXT,
  withdrawn_at INTEGER,
  asked_back_at INTEGER,
  due_at INTEGER,
  settled_at INTEGER,
  is_taken INTEGER,
  why TEXT,
  is_over INTEGER NOT NULL,
  -- Nothing was heard of it for as long as all before took, which counts as an hour at least and a day at most.
  quiet_at INTEGER AS (
    ifnull(heard_at, stored_at) + min(max(ifnull(heard_at, stored_at) - sent_at, 3600000), 86400000)) VIRTUAL
) STRICT;
CREATE INDEX sent_letters_open ON sent_letters (host, number) WHERE is_over = 0;
CREATE INDEX sent_letters_unstored ON sent_letters (host, number) WHERE is_over = 0 AND stored_at IS NULL;
CREATE INDEX sent_letters_to_ask_back ON sent_letters (host, number)
  WHERE is_over = 0 AND withdrawn IS NOT NULL AND asked_back_at IS NULL;
CREATE INDEX sent_letters_quiet ON sent_letters (host, quiet_at) WHERE is_over = 0 AND stored_at IS NOT NULL;
CREATE INDEX sent_letters_due ON sent_letters (due_at) WHERE is_over = 0 AND due_at IS NOT NULL;
CREATE INDEX sent_letters_unheard ON sent_letters (host, number)
  WHERE is_over = 0 AND heeded < 0 AND withdrawn IS NULL;

-- A tombstone has no message, or none any more: it only keeps a letter from being taken again.
CREATE TABLE taken_letters (
  number INTEGER PRIMARY KEY,
  host TEXT NOT NULL,
  delivery TEXT NOT NULL,
  taken_at INTEGER NOT NULL,
  message_id TEXT,
  why TEXT,
  refusal TEXT,
  moved TEXT,
  ended_as TEXT,
  told INTEGER NOT NULL,
  told_digest TEXT,
  is_over INTEGER NOT NULL,
  tombstone_since INTEGER,
  UNIQUE (host, delivery)
) STRICT;
CREATE INDEX taken_letters_by_message ON taken_letters (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX taken_letters_open ON taken_letters (host, number) WHERE is_over = 0;
CREATE INDEX taken_letters_refused ON taken_letters (host, number) WHERE message_id IS NULL;
CREATE INDEX taken_letters_tombstones ON taken_letters (tombstone_since) WHERE tombstone_since IS NOT NULL;

CREATE TABLE known_hosts (
  host TEXT PRIMARY KEY,
  heard_at INTEGER NOT NULL,
  number INTEGER NOT NULL,
  announcement TEXT NOT NULL
) STRICT;

ALTER TABLE agents ADD COLUMN moving TEXT;
`;
