import { expect, it } from "vitest";
import { strokeBytes } from "./key-bytes.ts";

const PLAIN = { bracketedPaste: false, applicationCursor: false };

it("makes one piece of all strokes, in their order", () => {
  const strokes = [
    { kind: "key", name: "Escape" },
    { kind: "bytes", bytes: [0xff, 0x00] },
    { kind: "bytes", bytes: [0x80] },
    { kind: "paste", text: "café 🚀", bracketed: true },
    { kind: "key", name: "Enter" },
  ] as const;
  const text = Buffer.from("café 🚀").toString("hex");
  expect(strokeBytes(strokes, PLAIN).toString("hex")).toBe(`1bff0080${text}0d`);
  const marked = strokeBytes(strokes.slice(3), { ...PLAIN, bracketedPaste: true });
  expect(marked.toString()).toBe("\x1b[200~café 🚀\x1b[201~\r");
  expect(strokeBytes([], PLAIN).length).toBe(0);
});
