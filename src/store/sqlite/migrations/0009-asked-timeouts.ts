/** How long a sender wanted to wait: the time at which that ends moves with a clock that is set. */
export const ASKED_TIMEOUTS = `
ALTER TABLE deliveries ADD COLUMN timeout_ms INTEGER;
`;
