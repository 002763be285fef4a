/** What the person was told in passing, by what it is about: after a restart it is not told again. */
export const TOLD = `
CREATE TABLE told (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX told_by_age ON told (at);
`;
