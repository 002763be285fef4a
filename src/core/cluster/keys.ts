/** Public keys of hosts, as people copy them from one host to another. */

/** 32 bytes in base64 for URLs, of which the last character has only four bits: one key is written in one way. */
export const HOST_KEY_PATTERN = /^bh1[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

export function isHostKey(text: string): boolean {
  return HOST_KEY_PATTERN.test(text);
}
