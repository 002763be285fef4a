import { NSAttributedString, Unarchiver } from "@parseaple/typedstream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attributedBody, Writer } from "./rehearsal/attributed-body.ts";
import { textOfBody } from "./typedstream.ts";

/** As macOS writes a message of ten letters, byte by byte. */
const FROM_A_MAC = `
  040b 7374 7265 616d 7479 7065 6481 e803 8401 4084 8484 194e 534d 7574 6162 6c65 4174 7472 6962 7574 6564 5374 7269
  6e67 0084 8412 4e53 4174 7472 6962 7574 6564 5374 7269 6e67 0084 8408 4e53 4f62 6a65 6374 0085 9284 8484 0f4e 534d
  7574 6162 6c65 5374 7269 6e67 0184 8408 4e53 5374 7269 6e67 0195 8401 2b0a 5965 732c 2064 6f20 6974 8684 0269 4901
  0a92 8484 840c 4e53 4469 6374 696f 6e61 7279 0095 8401 6901 9284 9898 1d5f 5f6b 494d 4d65 7373 6167 6550 6172 7441
  7474 7269 6275 7465 4e61 6d65 8692 8484 8408 4e53 4e75 6d62 6572 0084 8407 4e53 5661 6c75 6500 9584 012a 849b 9b00
  8686 86`;

const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex.replaceAll(/\s/gu, ""), "hex"));
const read = (text: string) => textOfBody(attributedBody(text));
const unreadable = { kind: "unreadable", why: expect.any(String) };

describe("the text in an archived message", () => {
  it("is read from what macOS writes", () => {
    expect(textOfBody(bytesOf(FROM_A_MAC))).toEqual({ kind: "text", text: "Yes, do it" });
    expect(attributedBody("Yes, do it")).toEqual(bytesOf(FROM_A_MAC));
  });

  it.each([0, 1, 127, 128, 129, 255, 256, 9_000, 32_767, 32_768, 65_535, 65_536, 70_000])(
    "is whole if it has %i bytes",
    (length) => {
      const text = "x".repeat(length);
      expect(read(text)).toEqual({ kind: "text", text });
    },
  );

  it("may contain the bytes that mark an end and a beginning", () => {
    for (const text of ["\u0184\u0186", "冄 醄 臆", "ᆄᆆ", "\u2184\u2186+\u0081", "𐆄𐆆", "i\u0086\u0084I"])
      expect(read(text.repeat(60))).toEqual({ kind: "text", text: text.repeat(60) });
    const bytes = new TextEncoder().encode("冄").join();
    expect(bytes).toBe("229,134,132");
  });

  it("may contain what looks like an archive", () => {
    const text = "streamtyped NSString \u0001\u0094+\u0005hello NSDictionary \u0086\u0084 iI";
    expect(read(text)).toEqual({ kind: "text", text });
  });

  it("keeps a mark of byte order, and replaces what is not UTF-8", () => {
    expect(read("\ufeffhello")).toEqual({ kind: "text", text: "\ufeffhello" });
    const bytes = attributedBody("abc");
    bytes[bytes.indexOf(0x62, 120)] = 0xff;
    expect(textOfBody(bytes)).toEqual({ kind: "text", text: "a\ufffdc" });
  });

  it("comes back as any text that was written", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 400 }), fc.nat(300), (text, repeat) => {
        const whole = text + "é".repeat(repeat);
        expect(read(whole)).toEqual({ kind: "text", text: whole });
      }),
    );
  });

  it("is what another reader of archives finds", () => {
    const asAnotherReads = (bytes: Uint8Array) => {
      const root = Unarchiver.open(Buffer.from(bytes)).decodeSingleRoot();
      return root instanceof NSAttributedString ? { kind: "text", text: root.string } : root;
    };
    expect(asAnotherReads(bytesOf(FROM_A_MAC))).toEqual(textOfBody(bytesOf(FROM_A_MAC)));
    for (const text of ["", "冄".repeat(43), "x".repeat(128), "é".repeat(4_500), "𝖍".repeat(17_500)])
      expect(asAnotherReads(attributedBody(text))).toEqual(read(text));
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
        expect(asAnotherReads(attributedBody(text))).toEqual(read(text));
      }),
    );
  });

  it("is read from a string alone, and from a big-endian stream", () => {
    const alone = new Writer().types("@").begin().newClass("NSString", 1).newClass("NSObject", 0).nil();
    expect(textOfBody(alone.types("+").text("alone").end().bytes())).toEqual({ kind: "text", text: "alone" });
    const bigEndian = Buffer.concat([
      Buffer.from([
        4,
        11,
        ...Buffer.from("typedstream"),
        0x81,
        0x03,
        0xe8,
        0x84,
        1,
        0x40,
        0x84,
        0x84,
        0x84,
        8,
      ]),
      Buffer.from([...Buffer.from("NSString"), 1, 0x85, 0x84, 1, 0x2b, 0x81, 0x00, 0xc8]),
      Buffer.from("y".repeat(200)),
    ]);
    expect(textOfBody(bigEndian)).toEqual({ kind: "text", text: "y".repeat(200) });
  });
});

describe("an archive that cannot be read", () => {
  it("is said to be unreadable wherever it ends", () => {
    const whole = attributedBody("z".repeat(200));
    const start = Buffer.from(whole).lastIndexOf("z") + 1;
    for (let length = 0; length < start; length += 1)
      expect(textOfBody(whole.subarray(0, length)), `${length} bytes`).toEqual(unreadable);
    expect(textOfBody(whole.subarray(0, start))).toMatchObject({ kind: "text" });
  });

  it("may name a class as the one above itself", () => {
    const circle = new Writer().types("@").begin().newClass("Loop", 0).knownClass("Loop").types("@");
    expect(textOfBody(circle.bytes())).toEqual(unreadable);
    const second = new Writer().types("@").begin().newClass("A", 0).newClass("B", 0).knownClass("A");
    expect(textOfBody(second.types("+").text("no").bytes())).toEqual(unreadable);
  });

  it("may stack classes without end", () => {
    const stream = new Writer().types("@").begin();
    for (let count = 0; count < 1_000; count += 1) stream.newClass(`C${count}`, 0);
    expect(textOfBody(stream.bytes())).toEqual(unreadable);
  });

  it("may hold something else, refer to nothing, or promise more than there is", () => {
    const other = new Writer().types("@").begin().newClass("NSData", 0).nil().types("+").text("x");
    expect(textOfBody(other.bytes())).toEqual(unreadable);
    const lost = new Writer().types("@").begin().knownClass("Missing");
    expect(textOfBody(lost.bytes())).toEqual(unreadable);
    const short = new Writer()
      .types("@")
      .begin()
      .newClass("NSString", 1)
      .nil()
      .types("+")
      .number(2_000_000_000);
    expect(textOfBody(short.bytes())).toEqual(unreadable);
    const negative = new Writer().types("@").begin().newClass("NSString", 1).nil().types("+").number(-2);
    expect(textOfBody(negative.bytes())).toEqual(unreadable);
  });

  it("is never more than unreadable", () => {
    const valid = attributedBody("hello there");
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { maxLength: 6 }),
        fc.nat(valid.length),
        (changes, length) => {
          const bytes = valid.slice(0, length);
          for (const [at, value] of changes) if (at < length) bytes[at] = value;
          expect(["text", "unreadable"]).toContain(textOfBody(bytes).kind);
        },
      ),
      { numRuns: 1_000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(textOfBody(bytes)).toEqual(unreadable);
      }),
    );
  });
});
