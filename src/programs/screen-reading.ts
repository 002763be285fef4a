import type { Reading } from "../core/readiness/reading.ts";
import type { ScreenLine } from "../core/readiness/screen.ts";

export function unknown(why: string): Extract<Reading, { kind: "unknown" }> {
  return { kind: "unknown", why };
}

/** A dialog in these rows that would take our keys for an answer. */
export function dialogIn(rows: readonly ScreenLine[], untouchable: RegExp): Reading {
  const texts = rows.map((row) => row.text.trim().replace(/\s+/gu, " "));
  const title = texts[0] ?? "a dialog";
  // Escape would leave the program or answer for the person, so no key may be sent.
  if (texts.some((text) => untouchable.test(text)))
    return { ...unknown(`it asks: ${title}`), asks: texts.join("\n") };
  // The pointer is part of the fingerprint: if it moves, Enter answers something else.
  return { kind: "dialog", title, fingerprint: texts.join("\n") };
}
