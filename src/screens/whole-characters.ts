/**
 * Where a stream of UTF-8 may be cut. The terminal model mistakes a character that comes in two writes where the first
 * ends in a byte 0x80, as that of a dash or a curly quote does: it takes it for a character that is not there.
 */

const LONGEST = 4;

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Of a character, by its first byte. */
export function lengthBy(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

/** The place at or just before `at` where a character begins; `at` itself in bytes that are no text. */
export function characterStart(bytes: Uint8Array, at: number): number {
  for (let start = at; start >= 0 && start > at - LONGEST; start -= 1) {
    if (!isContinuation(bytes[start] ?? 0)) return start;
  }
  return at;
}

/** How much of it is whole: what is left is the beginning of a character whose rest is still to come. */
export function wholeLength(bytes: Uint8Array): number {
  const start = characterStart(bytes, bytes.length - 1);
  const lead = bytes[start];
  return lead !== undefined && lengthBy(lead) > bytes.length - start ? start : bytes.length;
}
