/** Whoever asked is shown the answer: it is found by what it answers. */
export const ANSWERS = `
CREATE INDEX messages_by_answered ON messages (reply_to) WHERE reply_to IS NOT NULL;
`;
