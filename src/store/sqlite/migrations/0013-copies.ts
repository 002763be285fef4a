/** Copies that an agent may only receive, since one of its sessions has the message too: they are counted apart. */
export const COPIES = `
CREATE INDEX deliveries_copies ON deliveries (state, mailbox) WHERE handled_by IS NOT NULL;
`;
