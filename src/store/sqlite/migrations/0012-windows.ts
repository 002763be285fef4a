/** What Bellhop runs in a window of tmux, so that it can be stopped and started again there. */
export const WINDOWS = `
ALTER TABLE sessions ADD COLUMN tmux_window TEXT;
`;
