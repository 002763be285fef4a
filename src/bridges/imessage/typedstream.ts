/**
 * The text of a message as recent versions of macOS keep it: in `attributedBody`, an attributed string that NSArchiver
 * wrote as a typed stream. It is read as the structure that it is, from the start to the end of the string. Searching
 * for a marker goes wrong when a length needs more than a byte, and when the text contains the bytes of a marker.
 *
 *     stream   version, length and text of the signature, system version, group
 *     group    its types (a shared string), then a value of each
 *     object   new, class, groups …, end | nil | reference
 *     class    new, name (a shared string), version, the class above it | nil | reference
 *     string   new, length, bytes | nil | reference           (shared; `+` is a length and bytes)
 *
 * Shared strings and objects (classes are objects too) are numbered in the order in which they begin.
 */

export type BodyText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unreadable"; readonly why: string };

const VERSION = 4;
const LITTLE_ENDIAN = "streamtyped";
const BIG_ENDIAN = "typedstream";

const INT_16 = 0x81;
const INT_32 = 0x82;
const NEW = 0x84;
const NIL = 0x85;
/** From here to `FIRST_REFERENCE` a byte is a mark; any other is a number, or a reference, by itself. */
const FIRST_MARK = 0x80;
const FIRST_REFERENCE = 0x92;

/** Apple's classes have a handful of classes above them. */
const MOST_CLASSES = 32;

export function textOfBody(bytes: Uint8Array): BodyText {
  try {
    return { kind: "text", text: new Stream(bytes).text() };
  } catch (error) {
    if (error instanceof Unreadable) return { kind: "unreadable", why: error.message };
    throw error;
  }
}

class Unreadable extends Error {}

interface Class {
  readonly name: string;
  /** A hostile stream can name any class here, also the same one. */
  above: Class | undefined;
}

class Stream {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  #isLittleEndian = true;
  readonly #strings: string[] = [];
  readonly #objects: (Class | "object")[] = [];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  text(): string {
    this.#header();
    this.#group("@");
    const root = this.#object();
    if (isA(root, "NSString")) return this.#characters();
    if (!isA(root, "NSAttributedString")) throw new Unreadable(`it holds an object of class ${root.name}`);
    this.#group("@");
    const string = this.#object();
    if (!isA(string, "NSString")) throw new Unreadable(`its text is of class ${string.name}`);
    return this.#characters();
  }

  #header(): void {
    if (this.#byte() !== VERSION) throw new Unreadable("it is not a typed stream of version 4");
    const signature = ascii(this.#take(this.#byte()));
    if (signature !== LITTLE_ENDIAN && signature !== BIG_ENDIAN)
      throw new Unreadable("it has no signature of a typed stream");
    this.#isLittleEndian = signature === LITTLE_ENDIAN;
    this.#number();
  }

  /** Reads the types of the next group, of which the first must be this one. */
  #group(type: "@" | "+"): void {
    const types = this.#sharedString();
    if (!types.startsWith(type)) throw new Unreadable(`"${type}" was expected, and there is "${types}"`);
  }

  /** Reads the beginning of an object, up to its first group. */
  #object(): Class {
    if (this.#byte() !== NEW) throw new Unreadable("a new object was expected");
    this.#objects.push("object");
    return this.#class() ?? { name: "nil", above: undefined };
  }

  #class(): Class | undefined {
    let first: Class | undefined;
    let below: Class | undefined;
    for (let count = 0; count < MOST_CLASSES; count += 1) {
      const head = this.#byte();
      const found = head === NEW ? this.#newClass() : head === NIL ? undefined : this.#classAt(head);
      first ??= found;
      if (below !== undefined) below.above = found;
      if (head !== NEW) return first;
      below = found;
    }
    throw new Unreadable(`it has more than ${MOST_CLASSES} classes above each other`);
  }

  #newClass(): Class {
    const found: Class = { name: this.#sharedString(), above: undefined };
    this.#objects.push(found);
    this.#number();
    return found;
  }

  #classAt(head: number): Class {
    const found = this.#objects[this.#reference(head)];
    if (found === undefined || found === "object") throw new Unreadable("it refers to a class that it lacks");
    return found;
  }

  #sharedString(): string {
    const head = this.#byte();
    if (head === NEW) {
      const text = ascii(this.#take(this.#length()));
      this.#strings.push(text);
      return text;
    }
    const found = head === NIL ? undefined : this.#strings[this.#reference(head)];
    if (found === undefined) throw new Unreadable("it refers to a string that it lacks");
    return found;
  }

  #characters(): string {
    this.#group("+");
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.#take(this.#length()));
  }

  #reference(head: number): number {
    return this.#number(head) - (FIRST_REFERENCE - 0x100);
  }

  #number(head = this.#byte()): number {
    if (head === INT_16) return this.#view.getInt16(this.#skip(2), this.#isLittleEndian);
    if (head === INT_32) return this.#view.getInt32(this.#skip(4), this.#isLittleEndian);
    return (literal(head) << 24) >> 24;
  }

  #length(): number {
    const head = this.#byte();
    if (head === INT_16) return this.#view.getUint16(this.#skip(2), this.#isLittleEndian);
    if (head === INT_32) return this.#view.getUint32(this.#skip(4), this.#isLittleEndian);
    return literal(head);
  }

  #byte(): number {
    return this.#view.getUint8(this.#skip(1));
  }

  #take(length: number): Uint8Array {
    const start = this.#skip(length);
    return this.#bytes.subarray(start, start + length);
  }

  #skip(length: number): number {
    const start = this.#at;
    if (length > this.#bytes.byteLength - start) throw new Unreadable("it ends in the middle");
    this.#at = start + length;
    return start;
  }
}

function literal(head: number): number {
  if (head >= FIRST_MARK && head < FIRST_REFERENCE) throw new Unreadable("a number was expected");
  return head;
}

function isA({ name, above }: Class, wanted: string): boolean {
  let found: Class | undefined = { name, above };
  for (let count = 0; found !== undefined && count < MOST_CLASSES; count += 1) {
    if (found.name === wanted) return true;
    found = found.above;
  }
  return false;
}

function ascii(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, LONGEST_NAME));
}

/** Of a class or a list of types; what is longer is compared with nothing. */
const LONGEST_NAME = 1_000;
