/** Whether a sender lets a person's words take every way in; before, they did. What waits is typed now, or waits on. */
export const ANY_WAY_IN = `
ALTER TABLE deliveries ADD COLUMN any_way_in INTEGER;
`;
