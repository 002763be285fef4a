/** The message in which a reminder came last: while that waits, the next is left out. */
export const LAST_REMINDER = `
ALTER TABLE timers ADD COLUMN last_message TEXT;
`;
