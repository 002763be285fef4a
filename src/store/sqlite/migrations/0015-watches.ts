/** Who wants to hear of whose turns, questions and end. */
export const WATCHES = `
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
`;
