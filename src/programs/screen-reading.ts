import type { Reading } from "../core/readiness/reading.ts";
import type { ScreenLine } from "../core/readiness/screen.ts";

export function unknown(why: string): Extract<Reading, { kind: "unknown" }> {
  return { kind: "unknown", why };
}

/** What asks the person something and would take our keys for an answer, by the rows that it shows. */
export function dialogIn(rows: readonly ScreenLine[], untouchable: RegExp): Reading {
  const texts = rows.map((row) => row.text.trim().replace(/\s+/gu, " "));
  const title = texts[0] ?? "a dialog";
  // Escape would leave the program or answer for the person: nothing may touch it.
  if (texts.some((text) => untouchable.test(text)))
    return { ...unknown(`it asks: ${title}`), asks: texts.join("\n") };
  // The pointer stays in: a dialog on another choice is another question to somebody who presses Enter.
  return { kind: "dialog", title, fingerprint: texts.join("\n") };
}
