/**
 * An owner may hold a blank, and so may a key: a line's end stands between them now. Of a reminder's key nobody
 * knows where its owner ends; hardly one has a blank.
 */
export const OWN_KEYS = `
UPDATE messages
  SET idempotency_key = from_address || char(10) || substr(idempotency_key, length(from_address) + 2)
  WHERE substr(idempotency_key, 1, length(from_address) + 1) = from_address || ' ';
UPDATE reminder_keys
  SET key = substr(key, 1, instr(key, ' ') - 1) || char(10) || substr(key, instr(key, ' ') + 1)
  WHERE instr(key, ' ') > 0;
`;
