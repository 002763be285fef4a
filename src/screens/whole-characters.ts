/**
 * Where a stream of UTF-8 may be cut. The terminal model misreads a character split over two writes if the first
 * part ends in byte 0x80, as with a dash or a curly quote: it takes it for a missing character.
 */

const LONGEST = 4;

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** The length of a character, by its first byte. */
export function lengthBy(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

/** The start of the character at or just before `at`; `at` itself in bytes that are not text. */
export function characterStart(bytes: Uint8Array, at: number): number {
  for (let start = at; start >= 0 && start > at - LONGEST; start -= 1) {
    if (!isContinuation(bytes[start] ?? 0)) return start;
  }
  return at;
}

/** How many bytes form whole characters; the rest is the start of a character that is still incomplete. */
export function wholeLength(bytes: Uint8Array): number {
  const start = characterStart(bytes, bytes.length - 1);
  const lead = bytes[start];
  return lead !== undefined && lengthBy(lead) > bytes.length - start ? start : bytes.length;
}
