/**
 * What may reach a terminal, a prompt or a person's eyes. Bodies are stored raw and sanitised at every output.
 *
 * Removed: C0 except \n and \t, DEL, U+0080–9F, every escape sequence (7- and 8-bit, complete or not), bidirectional
 * controls, tag characters (the flags of England, Scotland and Wales lose their letters: the price of no hidden
 * text), zero-width characters. CR, CRLF, U+2028 and U+2029 become \n, half a surrogate pair U+FFFD.
 */
export function sanitiseText(text: string): string {
  if (PLAIN.test(text)) return text;
  let before = text;
  for (;;) {
    const after = strip(before);
    if (after === before) return after;
    before = after;
  }
}

/** One line for names, titles, labels, subjects and log fields; cut at `max` code points. */
export function sanitiseLine(text: string, max = Number.POSITIVE_INFINITY): string {
  const line = sanitiseText(text).replace(/[\n\t]/g, " ");
  if (line.length <= max) return line;
  const cut = [...line].slice(0, max).join("");
  return cut.replace(/[\u200c\u200d]+$/, "");
}

export function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}

const PLAIN = /^[\n\t\x20-\x7e]*$/;

function strip(text: string): string {
  // Surrogates first: removing what is between two halves must not join them into a new character.
  const wellFormed = text.replace(/\p{Surrogate}/gu, "\ufffd");
  return keepMeantJoiners(
    withoutEscapes(wellFormed)
      .replace(/\r\n?|[\u2028\u2029]/g, "\n")
      .replace(BANNED, ""),
  );
}

/**
 * Soft hyphens and variation selectors stay: they are part of ordinary text and emoji.
 * U+206A–F, FFF9–B and 180E are format characters that programs no longer write on purpose.
 */
const BANNED =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Joiners hold emoji families and Persian or Indic words together; elsewhere they only hide text. */
function keepMeantJoiners(text: string): string {
  return text.replace(/[\u200c\u200d]+/g, (run: string, at: number) => {
    const before = text.slice(at - 1, at);
    const after = text.slice(at + run.length, at + run.length + 1);
    return /^\S\S$/.test(before + after) ? run.slice(0, 1) : "";
  });
}

const ESCAPE = 0x1b;
const STRING_END = 0x9c;
/** ESC @ … ESC _ are the 7-bit spellings of U+0080 … U+009F. */
const SEVEN_BIT_OFFSET = 0x40;
const CONTROL_SEQUENCE = 0x9b;
const SINGLE_SHIFTS: ReadonlySet<number> = new Set([0x8e, 0x8f]);
/** DCS, SOS, OSC, PM, APC: followed by a text up to its terminator. */
const STRINGS: ReadonlySet<number> = new Set([0x90, 0x98, 0x9d, 0x9e, 0x9f]);

/**
 * One pass. Each sequence ends at the next ESC at the latest, so no character is read more than twice: once as the
 * possible content of an unfinished string, once as text.
 */
function withoutEscapes(text: string): string {
  let kept = "";
  let from = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code !== ESCAPE && !(code >= 0x80 && code <= 0x9f)) {
      at += 1;
      continue;
    }
    kept += text.slice(from, at);
    at = endOfSequence(text, at);
    from = at;
  }
  return kept + text.slice(from);
}

function endOfSequence(text: string, start: number): number {
  let at = start + 1;
  let control = text.charCodeAt(start);
  if (control === ESCAPE) {
    const next = text.charCodeAt(at);
    if (!(next >= 0x40 && next <= 0x5f)) return endOfPlainEscape(text, at);
    control = next + SEVEN_BIT_OFFSET;
    at += 1;
  }
  if (control === CONTROL_SEQUENCE) return endOfControlSequence(text, at);
  if (STRINGS.has(control)) return endOfString(text, at);
  return SINGLE_SHIFTS.has(control) ? skipWhile(text, at, 0x21, 0x7e, 1) : at;
}

/** ESC ( B, ESC c, ESC 7: intermediates, then one final byte. */
function endOfPlainEscape(text: string, at: number): number {
  return skipWhile(text, skipWhile(text, at, 0x20, 0x2f), 0x30, 0x7e, 1);
}

function endOfControlSequence(text: string, at: number): number {
  const parameters = skipWhile(text, at, 0x30, 0x3f);
  return skipWhile(text, skipWhile(text, parameters, 0x20, 0x2f), 0x40, 0x7e, 1);
}

/** Without a terminator only the introducer is removed: the rest is text that should be seen. */
function endOfString(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x07 || code === STRING_END) return at + 1;
    if (code === ESCAPE) return text[at + 1] === "\\" ? at + 2 : start;
    if (code === 0x0a || code === 0x0d || (code >= 0x80 && code <= 0x9f)) return start;
  }
  return start;
}

function skipWhile(text: string, start: number, low: number, high: number, most = text.length): number {
  let at = start;
  while (at < text.length && at - start < most && text.charCodeAt(at) >= low && text.charCodeAt(at) <= high)
    at += 1;
  return at;
}
