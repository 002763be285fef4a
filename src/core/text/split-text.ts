/**
 * A text as parts of at most `most` UTF-16 units (2 or more), for a channel that takes no more at once. The same text
 * always gives the same parts, so that a telling can go on after the parts that arrived.
 *
 * A part ends at the last line break of its second half, else at the last space there; the character at which it was
 * broken is dropped, nothing else is. Where there is neither it ends between two graphemes, and inside one only if
 * that alone is too long; never inside a surrogate pair. Blank parts are left out: channels refuse them.
 */
export function splitText(text: string, most: number): readonly string[] {
  if (text.length <= most) return [text];
  const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
  const parts: string[] = [];
  let from = 0;
  while (from < text.length) {
    const window = text.slice(from, from + most + 2);
    const { end, next } = window.length <= most ? whole(window) : firstBreak(window, most, graphemes);
    parts.push(window.slice(0, end));
    from += next;
  }
  const said = parts.filter((part) => part.trim() !== "");
  return said.length === 0 ? parts.slice(0, 1) : said;
}

/** Where a part ends, and where the next one begins. */
interface Break {
  readonly end: number;
  readonly next: number;
}

function whole({ length }: string): Break {
  return { end: length, next: length };
}

function firstBreak(window: string, most: number, graphemes: Intl.Segmenter): Break {
  const end = lastBoundary(window, most, graphemes);
  const least = Math.floor(most / 2);
  // The character after the longest part may be the one to break at.
  for (const isBreak of [isLineBreak, isSpace])
    for (let at = end; at >= least && at > 0; at -= 1)
      if (isBreak(window.charAt(at)) && !isJoined(window, at + 1)) return { end: at, next: at + 1 };
  return { end, next: end };
}

/** The last place at or before `most` that is between two graphemes, or at least between two code points. */
function lastBoundary(window: string, most: number, graphemes: Intl.Segmenter): number {
  const boundary = graphemes.segment(window).containing(most)?.index ?? most;
  if (boundary > 0) return boundary;
  const isInsidePair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(window.slice(most - 1, most + 1));
  return isInsidePair ? most - 1 : most;
}

function isLineBreak(character: string): boolean {
  return character === "\n";
}

function isSpace(character: string): boolean {
  return /^\s$/.test(character);
}

/** Whether the character there is one grapheme with what is before it: an accent can stand on a space. */
function isJoined(window: string, at: number): boolean {
  return /^[\p{M}\u200d]/u.test(window.slice(at, at + 2));
}
