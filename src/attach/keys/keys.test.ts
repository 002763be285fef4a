import fc from "fast-check";
import { assert, describe, expect, it } from "vitest";
import { KEY_LIMITS, type Key, NOTHING_TYPED, type Typed, takeKey } from "./keys.ts";

/** Like a terminal that sends these chunks and nothing more. Text that came in pieces is joined. */
function keysOf(
  chunks: readonly (string | Buffer)[],
  characters: "one" | "many" = "many",
): readonly string[] {
  const keys: Key[] = [];
  let typed: Typed = NOTHING_TYPED;
  const take = (complete: boolean): void => {
    for (;;) {
      const taken = takeKey(typed, complete, characters);
      if (taken === undefined) return;
      assert(taken.rest.bytes.length < typed.bytes.length, "a key is at least a byte");
      typed = taken.rest;
      keys.push(taken.key);
    }
  };
  for (const chunk of chunks) {
    typed = { ...typed, bytes: Buffer.concat([typed.bytes, Buffer.from(chunk as string)]) };
    take(false);
  }
  take(true);
  return merged(keys);
}

function merged(keys: readonly Key[]): readonly string[] {
  const shown: string[] = [];
  let text = "";
  for (const key of keys) {
    if (key.kind === "text") text += key.text;
    else {
      if (text !== "") shown.push(JSON.stringify(text));
      text = "";
      if (key.kind === "key") shown.push(key.name);
    }
  }
  return text === "" ? shown : [...shown, JSON.stringify(text)];
}

const KNOWN: Readonly<Record<string, string>> = {
  "\r": "Enter",
  "\t": "Tab",
  "\x1b[Z": "BTab",
  "\x7f": "BSpace",
  "\b": "BSpace",
  "\0": "C-Space",
  "\x01": "C-a",
  "\n": "C-j",
  "\x1c": "C-\\",
  "\x1f": "C-_",
  "\x1b[A": "Up",
  "\x1bOA": "Up",
  "\x1b[1;5C": "C-Right",
  "\x1b[1;3D": "M-Left",
  "\x1b[H": "Home",
  "\x1b[1~": "Home",
  "\x1b[7~": "Home",
  "\x1bOF": "End",
  "\x1b[4~": "End",
  "\x1b[3~": "Delete",
  "\x1b[3;5~": "C-Delete",
  "\x1b[5~": "PageUp",
  "\x1b[6~": "PageDown",
  "\x1bOP": "F1",
  "\x1bb": "M-b",
  "\x1b\x7f": "M-BSpace",
  "\x1b\r": "M-Enter",
  "\x1bü": "M-ü",
  "\x1b[13;2u": "S-Enter",
  "\x1b[92;5u": "C-\\",
  "\x1b[27;5;92~": "C-\\",
  "\x1b[97;5u": "C-a",
};
/** What a terminal may send that is not a key. */
const REPORTS = [
  "\x1b[I",
  "\x1b[O",
  "\x1b[<0;12;7M",
  "\x1b[<35;1;1m",
  "\x1b[M !!",
  "\x1b[?62;22c",
  "\x1b]11;rgb:0000/0000/0000\x07",
  "\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
  "\x1bP1+r\x1b\\",
  "\x1b[200~\x1b[201~",
  "\x1b[99~",
];

describe("keys of a person's terminal", () => {
  it.each(Object.entries(KNOWN))("reads %j as %s", (bytes, name) => {
    expect(keysOf([bytes])).toEqual([name]);
  });

  it.each(REPORTS)("takes %j for no key", (bytes) => {
    expect(keysOf([bytes, "x"])).toEqual(['"x"']);
  });

  it("knows an Escape by the silence that follows it", () => {
    expect(takeKey({ bytes: Buffer.from("\x1b"), pasting: false }, false)).toBeUndefined();
    expect(keysOf(["\x1b"])).toEqual(["Escape"]);
    expect(keysOf(["\x1b\x1b[A"])).toEqual(["Escape", "Up"]);
    expect(keysOf(["\x1b["])).toEqual(["M-["]);
    expect(keysOf(["\x1bO"])).toEqual(["M-O"]);
    expect(keysOf(["\x1b]"])).toEqual(["M-]"]);
  });

  it("keeps a paste as text, newlines, tabs, escapes and our own key included", () => {
    expect(keysOf(["a\x1b[200~one\r\ntwo\rthree\n\t\x1b[A\x1c\x03\x1b[201~b"])).toEqual([
      '"a"',
      JSON.stringify("one\ntwo\nthree\n\t\x1b[A\x1c\x03"),
      '"b"',
    ]);
  });

  it("gives typed characters one by one where each is a command", () => {
    expect(takeKey({ bytes: Buffer.from("jk"), pasting: false }, false, "one")?.key).toEqual({
      kind: "text",
      text: "j",
    });
    expect(takeKey({ bytes: Buffer.from("漢字"), pasting: false }, false, "one")?.key).toEqual({
      kind: "text",
      text: "漢",
    });
  });

  it("reads the same whatever way the bytes are split", () => {
    const piece = fc.oneof(
      fc.constantFrom(...Object.keys(KNOWN), ...REPORTS),
      fc.string({ unit: "grapheme", maxLength: 8 }).filter((text) => !/[\x00-\x1f\x7f]/.test(text)),
      fc
        .string({ unit: "grapheme", maxLength: 12 })
        .filter((text) => !text.includes("\x1b"))
        .map((text) => `\x1b[200~${text}\x1b[201~`),
      fc.constantFrom(
        "\x1b[200~a\x1b[20\x1b[201~",
        "\x1b[200~\x1b[201\x1b[201~",
        "\x1b[200~x\r\n\r\ny\x1b[201~",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.array(fc.nat(400)), (pieces, places) => {
        const bytes = Buffer.from(pieces.join(""));
        const cuts = [...new Set(places.filter((at) => at < bytes.length))].sort((a, b) => a - b);
        const chunks = [0, ...cuts].map((from, index) => bytes.subarray(from, cuts[index] ?? bytes.length));
        expect(keysOf(chunks)).toEqual(keysOf([bytes]));
        expect(keysOf(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(keysOf([bytes]));
      }),
      { numRuns: 1_000 },
    );
  });

  it("comes to an end with any bytes at all", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (chunks) => {
        keysOf(chunks.map((chunk) => Buffer.from(chunk)));
      }),
      { numRuns: 1_000 },
    );
  });

  it("gives up on a sequence that never ends", () => {
    expect(keysOf([`\x1b[${"1;".repeat(KEY_LIMITS.sequenceBytes)}`]).join("")).not.toContain("\\u001b");
    const report = Buffer.concat([Buffer.from("\x1b]"), Buffer.alloc(KEY_LIMITS.reportBytes - 2, 0x61)]);
    expect(takeKey({ bytes: report.subarray(0, -1), pasting: false }, false)).toBeUndefined();
    expect(takeKey({ bytes: report, pasting: false }, false)?.rest.bytes.length).toBe(0);
  });
});
