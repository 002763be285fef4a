/** What the sender of a dead letter wanted of its deliveries, for when somebody is there. */
export const KEPT_WISHES = `
ALTER TABLE unmatched ADD COLUMN wishes TEXT;
`;
