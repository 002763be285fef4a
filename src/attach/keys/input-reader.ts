/** Interprets what the person's terminal sends, key by key: the mode may change between two keys. */
import type { Attachment, Event } from "../attachment-state.ts";
import { BAR_LIMITS } from "./bar.ts";
import { takeKey } from "./keys.ts";
import { type RawInput, takeRaw } from "./raw-input.ts";

/** Escape counts as a key of its own if nothing follows it for this long. */
export const ESCAPE_MS = 50;
/** How much is held while waiting for the keyboard; a host answers at once or is gone. */
export const WAITING_BYTES = 1024 * 1024;

/** A symbol, because any string could also be pasted. */
const OVERLONG = Symbol("overlong");

export interface InputSurroundings {
  standing(): Attachment;
  happened(event: Event): void;
  after(ms: number, done: () => void): void;
}

export class InputReader {
  readonly #prefix: { readonly byte: number; readonly name: string };
  readonly #around: InputSurroundings;
  #typed: RawInput = { bytes: Buffer.alloc(0), pasting: false, mark: 0 };
  /** A paste for the bar, until its end: it is accepted whole or not at all. */
  #pasted: string | typeof OVERLONG = "";
  #busy = false;

  constructor(prefix: { readonly byte: number; readonly name: string }, around: InputSurroundings) {
    this.#prefix = prefix;
    this.#around = around;
  }

  push(bytes: Buffer): void {
    const all = Buffer.concat([this.#typed.bytes, bytes]);
    this.#typed = { ...this.#typed, bytes: all.subarray(0, WAITING_BYTES) };
    this.go();
  }

  /** Interprets as many keys as are unambiguous. */
  go(complete = false): void {
    // An event may call this again; the loop below continues by itself.
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#typed.bytes.length > 0 && this.#one(complete) === "taken");
    } finally {
      this.#busy = false;
    }
    const { mode } = this.#around.standing();
    if (this.#typed.bytes.length > 0 && mode.at !== "asking" && !this.#typed.pasting && !complete)
      this.#around.after(ESCAPE_MS, () => this.go(true));
  }

  #one(complete: boolean): "taken" | "waits" {
    const { mode, awaiting } = this.#around.standing();
    if (awaiting === "nothing") {
      if (mode.at === "asking") return "waits";
      if (mode.at === "passthrough") return this.#raw();
    }
    const isBar = mode.at === "bar" && awaiting === "nothing";
    const { pasting } = this.#typed;
    const taken = takeKey(this.#typed, complete, isBar ? "many" : "one");
    if (taken === undefined) return "waits";
    this.#typed = { ...taken.rest, mark: 0 };
    const { key } = taken;
    if (pasting) {
      // Pasted text is never a command.
      if (isBar && key.kind === "text") this.#collect(key.text);
      if (!this.#typed.pasting) this.#endPaste();
      return "taken";
    }
    // A report from the terminal is not a key.
    if (key.kind === "nothing") return "taken";
    if (awaiting === "nothing" && key.kind === "key" && key.name === this.#prefix.name)
      this.#around.happened({ kind: "prefix" });
    else this.#around.happened({ kind: "key", key });
    return "taken";
  }

  #collect(text: string): void {
    if (this.#pasted === OVERLONG) return;
    const all = this.#pasted + text;
    this.#pasted = Buffer.byteLength(all) > BAR_LIMITS.bytes ? OVERLONG : all;
  }

  #endPaste(): void {
    const pasted = this.#pasted;
    this.#pasted = "";
    if (pasted === OVERLONG) this.#around.happened({ kind: "overlong" });
    else if (pasted !== "") this.#around.happened({ kind: "key", key: { kind: "text", text: pasted } });
  }

  #raw(): "taken" {
    const { through, found, rest } = takeRaw(this.#typed, this.#prefix.byte);
    this.#typed = rest;
    if (through.length > 0) this.#around.happened({ kind: "raw", bytes: through });
    if (found === "prefix") this.#around.happened({ kind: "prefix" });
    return "taken";
  }
}
