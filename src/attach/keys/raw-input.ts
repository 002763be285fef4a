/** A person's bytes on their way to the program: passed on unchanged, except for our prefix key. Pure. */

export interface RawInput {
  readonly bytes: Buffer;
  /** Pasted bytes are never our key. */
  readonly pasting: boolean;
  /** How many bytes of a paste mark the input ended with. */
  readonly mark: number;
}

const BEGIN = Buffer.from("\x1b[200~");
const END = Buffer.from("\x1b[201~");

/** Everything up to the prefix, which is removed and reported. */
export function takeRaw(
  { bytes, pasting, mark }: RawInput,
  prefix: number,
): { readonly through: Buffer; readonly found: "prefix" | "nothing"; readonly rest: RawInput } {
  let inside = pasting;
  let matched = mark;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (!inside && byte === prefix) {
      const rest = { bytes: bytes.subarray(at + 1), pasting: false, mark: 0 };
      return { through: bytes.subarray(0, at), found: "prefix", rest };
    }
    const wanted = inside ? END : BEGIN;
    // A mark contains its first byte only once, so after a mismatch a new mark can only begin at this byte.
    matched = byte === wanted[matched] ? matched + 1 : byte === wanted[0] ? 1 : 0;
    if (matched === wanted.length) {
      inside = !inside;
      matched = 0;
    }
  }
  return {
    through: bytes,
    found: "nothing",
    rest: { bytes: Buffer.alloc(0), pasting: inside, mark: matched },
  };
}
