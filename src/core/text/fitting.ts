/** Makes a text of any length and form into one that a message can carry. */
import { LIMITS } from "../message.ts";

const CUT = "\n[… cut: it was longer than Bellhop takes]";

/** Well-formed; cut by bytes, at the end of a character. */
export function fitted(text: string, mostBytes: number = LIMITS.bodyBytes): string {
  // No unit has more than three bytes; most texts need not be measured.
  const isShort = text.length * 3 <= mostBytes;
  if (isShort) return text.toWellFormed();
  // What is longer than this cannot fit in any case.
  const wellFormed = text.slice(0, mostBytes + 1).toWellFormed();
  if (start(wellFormed, mostBytes) === wellFormed) return wellFormed;
  return start(wellFormed, mostBytes - new TextEncoder().encode(CUT).length) + CUT;
}

/** As many whole characters as there is room for. */
function start(text: string, bytes: number): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read);
}
