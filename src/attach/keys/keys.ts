/**
 * Parses what a person's terminal sends into keys. Pure and incremental: one key is taken off the front and the rest
 * waits, so that the caller can decide after each key how to read the following bytes.
 */
import { lengthBy, wholeLength } from "../../screens/whole-characters.ts";

export type Key =
  /** Characters, typed or pasted; only a paste contains newlines. */
  | { readonly kind: "text"; readonly text: string }
  /** By tmux's names: `Enter`, `C-a`, `M-b`, `C-Left`. */
  | { readonly kind: "key"; readonly name: string }
  /** A report or a sequence that means nothing here. */
  | { readonly kind: "nothing" };

export interface Typed {
  readonly bytes: Buffer;
  /** Between the marks of a paste everything is text. */
  readonly pasting: boolean;
}

export const KEY_LIMITS = { sequenceBytes: 64, reportBytes: 4_096 } as const;

export const NOTHING_TYPED: Typed = { bytes: Buffer.alloc(0), pasting: false };

const PASTE_BEGIN = "200~";
const PASTE_END = Buffer.from("\x1b[201~");
const ESCAPE = 0x1b;
const DELETE = 0x7f;

interface Taken {
  readonly key: Key;
  readonly rest: Typed;
}

/**
 * Undefined while the front may still become something else; with `complete` no more bytes will come, so it is decided
 * now. Typed characters come in one piece, or one by one.
 */
export function takeKey(
  { bytes, pasting }: Typed,
  complete: boolean,
  characters: "one" | "many" = "many",
): Taken | undefined {
  const [first] = bytes;
  if (first === undefined) return undefined;
  if (pasting) return takePasted(bytes);
  const taken = (length: number, key: Key, nowPasting = false): Taken => ({
    key,
    rest: { bytes: bytes.subarray(length), pasting: nowPasting },
  });
  if (first === ESCAPE) return takeEscape(bytes, complete, taken);
  if (first < 0x20 || first === DELETE) return taken(1, { kind: "key", name: controlName(first) });
  const length = textLength(bytes, complete, characters === "one" ? 1 : Number.POSITIVE_INFINITY);
  return length === 0 ? undefined : taken(length, { kind: "text", text: decode(bytes.subarray(0, length)) });
}

type Take = (length: number, key: Key, nowPasting?: boolean) => Taken;

function takeEscape(bytes: Buffer, complete: boolean, taken: Take): Taken | undefined {
  const second = bytes[1];
  if (second === undefined) return complete ? taken(1, named("Escape")) : undefined;
  switch (second) {
    case ESCAPE:
      return taken(1, named("Escape"));
    case 0x5b: // [
      return takeSequence(bytes, complete, taken);
    case 0x4f: {
      // O, and a letter
      const third = bytes[2];
      if (third === undefined) return complete ? taken(2, named("M-O")) : undefined;
      return taken(3, cursorKey(String.fromCharCode(third), 1));
    }
    case 0x5d: // ] P _ ^ X: a text follows, up to its end
    case 0x50:
    case 0x5f:
    case 0x5e:
    case 0x58:
      return takeReport(bytes, complete, taken);
    default: {
      if (second < 0x20 || second === DELETE) return taken(2, named(`M-${controlName(second)}`));
      const length = textLength(bytes.subarray(1, 5), complete, 1);
      if (length === 0) return undefined;
      return taken(1 + length, named(`M-${decode(bytes.subarray(1, 1 + length))}`));
    }
  }
}

/** `ESC [`, parameters, one letter. */
function takeSequence(bytes: Buffer, complete: boolean, taken: Take): Taken | undefined {
  for (let at = 2; at < bytes.length && at < KEY_LIMITS.sequenceBytes; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x20 && byte < 0x40) continue;
    // The sequence was broken off: what follows is something else.
    if (byte < 0x40 || byte > 0x7e) return taken(at, { kind: "nothing" });
    const parameters = bytes.toString("latin1", 2, at);
    const letter = String.fromCharCode(byte);
    // The oldest mouse reports: three bytes of any value.
    if (letter === "M" && parameters === "") {
      if (bytes.length >= 6 || complete) return taken(Math.min(6, bytes.length), { kind: "nothing" });
      return undefined;
    }
    if (parameters + letter === PASTE_BEGIN) return taken(at + 1, { kind: "nothing" }, true);
    return taken(at + 1, sequenceKey(parameters, letter));
  }
  if (bytes.length >= KEY_LIMITS.sequenceBytes) return taken(KEY_LIMITS.sequenceBytes, { kind: "nothing" });
  if (!complete) return undefined;
  return taken(bytes.length, bytes.length === 2 ? named("M-[") : { kind: "nothing" });
}

function takeReport(bytes: Buffer, complete: boolean, taken: Take): Taken | undefined {
  for (let at = 2; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === 0x07) return taken(at + 1, { kind: "nothing" });
    if (byte === ESCAPE && bytes[at + 1] === 0x5c) return taken(at + 2, { kind: "nothing" });
  }
  if (bytes.length >= KEY_LIMITS.reportBytes) return taken(bytes.length, { kind: "nothing" });
  if (!complete) return undefined;
  // A person who holds Alt sends exactly two bytes.
  return taken(2, bytes.length === 2 ? named(`M-${decode(bytes.subarray(1, 2))}`) : { kind: "nothing" });
}

function takePasted(bytes: Buffer): Taken | undefined {
  const end = bytes.indexOf(PASTE_END);
  if (end === 0)
    return { key: { kind: "nothing" }, rest: { bytes: bytes.subarray(PASTE_END.length), pasting: false } };
  const length = end === -1 ? wholeLength(bytes.subarray(0, bytes.length - begunMark(bytes))) : end;
  if (length === 0) return undefined;
  const text = decode(bytes.subarray(0, length));
  // A CR LF split over two reads would become two newlines.
  if (end === -1 && text.endsWith("\r")) {
    if (length === 1) return undefined;
    return pasted(bytes, length - 1, text.slice(0, -1));
  }
  return pasted(bytes, length, text);
}

function pasted(bytes: Buffer, length: number, text: string): Taken {
  return {
    key: { kind: "text", text: text.replace(/\r\n?/g, "\n") },
    rest: { bytes: bytes.subarray(length), pasting: true },
  };
}

/** How many trailing bytes may be the start of the mark that ends a paste. */
function begunMark(bytes: Buffer): number {
  for (let length = Math.min(PASTE_END.length - 1, bytes.length); length > 0; length -= 1) {
    if (bytes.subarray(bytes.length - length).equals(PASTE_END.subarray(0, length))) return length;
  }
  return 0;
}

/** The length up to the next control byte, at most `most` characters. */
function textLength(bytes: Buffer, complete: boolean, most: number): number {
  let length = 0;
  for (let count = 0; length < bytes.length && count < most; count += 1) {
    const byte = bytes[length] ?? 0;
    if (byte < 0x20 || byte === DELETE) break;
    const needed = lengthBy(byte);
    let has = 1;
    while (has < needed && ((bytes[length + has] ?? 0) & 0xc0) === 0x80) has += 1;
    if (has < needed && length + has >= bytes.length && !complete) break;
    length += has;
  }
  return length;
}

function decode(bytes: Buffer): string {
  return bytes.toString("utf8");
}

function named(name: string): Key {
  return { kind: "key", name };
}

function controlName(byte: number): string {
  if (byte === 0x0d) return "Enter";
  if (byte === 0x09) return "Tab";
  if (byte === DELETE || byte === 0x08) return "BSpace";
  if (byte === 0) return "C-Space";
  const letter = String.fromCharCode(byte + 0x40);
  return `C-${letter.toLowerCase()}`;
}

type Names = Readonly<Record<string | number, string>>;

const LETTERS: Names = {
  ...{ A: "Up", B: "Down", C: "Right", D: "Left", F: "End", H: "Home", M: "Enter" },
  ...{ P: "F1", Q: "F2", R: "F3", S: "F4" },
};
const NUMBERS: Names = {
  ...{ 1: "Home", 2: "Insert", 3: "Delete", 4: "End", 5: "PageUp", 6: "PageDown" },
  ...{ 7: "Home", 8: "End" },
};
const CODES: Names = { 9: "Tab", 13: "Enter", 27: "Escape", 32: "Space", 127: "BSpace" };

function cursorKey(letter: string, modifier: number): Key {
  const name = LETTERS[letter];
  return name === undefined ? { kind: "nothing" } : named(withModifier(name, modifier));
}

function sequenceKey(parameters: string, letter: string): Key {
  if (!/^[\d;:]*$/.test(parameters)) return { kind: "nothing" };
  const [one = 1, two = 1, three = 0] = parameters
    .split(";")
    .map((part) => Number.parseInt(part, 10))
    .map((value) => (Number.isNaN(value) ? 1 : value));
  if (letter === "Z") return named("BTab");
  if (letter === "u") return codeKey(one, two);
  if (letter === "~") {
    // The modifyOtherKeys form: 27, modifier, character.
    if (one === 27 && three > 0) return codeKey(three, two);
    const name = NUMBERS[one];
    return name === undefined ? { kind: "nothing" } : named(withModifier(name, two));
  }
  return letter === "M" ? { kind: "nothing" } : cursorKey(letter, two);
}

function codeKey(code: number, modifier: number): Key {
  const special = CODES[code];
  if (special !== undefined && (special !== "Space" || modifier > 1))
    return named(withModifier(special, modifier));
  if (code < 0x20 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return { kind: "nothing" };
  const character = String.fromCodePoint(code);
  return modifier <= 2 ? { kind: "text", text: character } : named(withModifier(character, modifier));
}

/** xterm's encoding: 1, plus 1 for shift, 2 for alt and 4 for control. */
function withModifier(name: string, modifier: number): string {
  const bits = modifier - 1;
  return `${bits & 4 ? "C-" : ""}${bits & 2 ? "M-" : ""}${bits & 1 ? "S-" : ""}${name}`;
}
