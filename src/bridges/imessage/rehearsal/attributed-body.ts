/** Writes a text as macOS does into `attributedBody`: an NSMutableAttributedString, archived as a typed stream. */

export function attributedBody(text: string): Uint8Array {
  const stream = new Writer();
  stream.types("@").begin();
  stream
    .newClass("NSMutableAttributedString", 0)
    .newClass("NSAttributedString", 0)
    .newClass("NSObject", 0)
    .nil();
  stream.types("@").begin().newClass("NSMutableString", 1).newClass("NSString", 1).knownClass("NSObject");
  stream.types("+").text(text).end();
  // A run of attributes covers the whole text; an empty one has none.
  if (text === "") return stream.end().bytes();
  stream.types("iI").number(1).number(text.length);
  stream.types("@").begin().newClass("NSDictionary", 0).knownClass("NSObject").types("i").number(1);
  stream.types("@").begin().knownClass("NSString").types("+").text("__kIMMessagePartAttributeName").end();
  stream.types("@").begin().newClass("NSNumber", 0).newClass("NSValue", 0).knownClass("NSObject");
  stream.types("*").cString("i").types("i").number(0).end();
  return stream.end().end().bytes();
}

export class Writer {
  readonly #parts: Uint8Array[] = [];
  readonly #strings: string[] = [];
  /** Classes by their names; other objects only take a number. */
  readonly #objects: (string | undefined)[] = [];

  constructor() {
    this.#byte(4);
    this.#byte(11);
    this.#ascii("streamtyped");
    this.number(1_000);
  }

  types(types: string): this {
    return this.#shared(types);
  }

  begin(): this {
    this.#objects.push(undefined);
    return this.#byte(0x84);
  }

  end(): this {
    return this.#byte(0x86);
  }

  nil(): this {
    return this.#byte(0x85);
  }

  newClass(name: string, version: number): this {
    this.#byte(0x84);
    this.#shared(name);
    this.#objects.push(name);
    return this.number(version);
  }

  knownClass(name: string): this {
    return this.#reference(this.#objects.indexOf(name));
  }

  cString(text: string): this {
    this.#byte(0x84);
    this.#objects.push(undefined);
    return this.#shared(text);
  }

  text(text: string): this {
    const bytes = new TextEncoder().encode(text);
    this.number(bytes.length);
    this.#parts.push(bytes);
    return this;
  }

  number(value: number): this {
    if (value >= -110 && value <= 127) return this.#byte(value & 0xff);
    const isShort = value >= -32_768 && value <= 32_767;
    const bytes = Buffer.alloc(isShort ? 3 : 5);
    bytes.writeUInt8(isShort ? 0x81 : 0x82);
    if (isShort) bytes.writeInt16LE(value, 1);
    else bytes.writeInt32LE(value, 1);
    this.#parts.push(bytes);
    return this;
  }

  bytes(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#parts));
  }

  #shared(text: string): this {
    const known = this.#strings.indexOf(text);
    if (known >= 0) return this.#reference(known);
    this.#strings.push(text);
    this.#byte(0x84);
    this.number(text.length);
    return this.#ascii(text);
  }

  #reference(index: number): this {
    return this.number(index - 110);
  }

  #ascii(text: string): this {
    this.#parts.push(new TextEncoder().encode(text));
    return this;
  }

  #byte(value: number): this {
    this.#parts.push(Uint8Array.of(value));
    return this;
  }
}
