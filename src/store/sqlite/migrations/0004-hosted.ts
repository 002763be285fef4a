/** What a hosted session runs, so that it can be started again; who started it, and whether they were told of its first turn. */
export const HOSTED = `
ALTER TABLE sessions ADD COLUMN command TEXT;
ALTER TABLE sessions ADD COLUMN role TEXT;
ALTER TABLE sessions ADD COLUMN parent TEXT;
ALTER TABLE sessions ADD COLUMN owes_first_turn INTEGER NOT NULL DEFAULT 0;
`;
