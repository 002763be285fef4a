/** The person's terminal. Whatever happens, it is restored to the state in which it was found. */
import { writeSync } from "node:fs";
import type { ReadStream, WriteStream } from "node:tty";
import type { Size } from "../screens/same-drawing.ts";
import { ENTER, LEAVE, RETURN } from "./drawing/painter.ts";

export interface PersonEar {
  typed(bytes: Buffer): void;
  resized(): void;
  /** Another program has used the terminal: everything must be redrawn. */
  returned(): void;
  signalled(signal: NodeJS.Signals): void;
  /** The window was closed. */
  hungUp(): void;
  failed(error: unknown): void;
}

const ENDING: readonly NodeJS.Signals[] = ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"];

export type OutputStream = WriteStream & { readonly fd: number };

export class PersonTerminal {
  readonly #in: ReadStream;
  readonly #out: OutputStream;
  #leaveAll: (() => void) | undefined;

  constructor(input: ReadStream, output: OutputStream) {
    this.#in = input;
    this.#out = output;
  }

  get size(): Size {
    const { columns, rows } = this.#out;
    // A terminal that was never told its size reports 0.
    return { cols: columns || 80, rows: rows || 24 };
  }

  enter(ear: PersonEar): void {
    const typed = (bytes: Buffer): void => ear.typed(bytes);
    const resized = (): void => ear.resized();
    const hungUp = (): void => ear.hungUp();
    const returned = (): void => {
      this.#in.setRawMode(true);
      this.write(RETURN);
      ear.returned();
    };
    const failed = (error: unknown): void => {
      this.leave();
      ear.failed(error);
    };
    const signals = ENDING.map((signal) => [signal, () => ear.signalled(signal)] as const);
    const leave = (): void => this.leave();
    this.#in.setRawMode(true);
    this.#in.on("data", typed).on("end", hungUp).on("error", hungUp);
    this.#out.on("resize", resized).on("error", hungUp);
    for (const [signal, listener] of signals) process.on(signal, listener);
    process.on("SIGCONT", returned);
    process.on("exit", leave);
    // Runs before the command line's own handler, whose message must not be lost with the alternate screen.
    process.prependListener("uncaughtException", failed);
    this.write(ENTER);
    this.#in.resume();
    this.#leaveAll = () => {
      this.#in.off("data", typed).off("end", hungUp).off("error", hungUp);
      this.#out.off("resize", resized).off("error", hungUp);
      // A terminal that is gone may emit another error.
      this.#in.on("error", () => {});
      this.#out.on("error", () => {});
      for (const [signal, listener] of signals) process.off(signal, listener);
      process.off("SIGCONT", returned);
      process.off("exit", leave);
      process.off("uncaughtException", failed);
    };
  }

  write(text: string): void {
    this.#out.write(text);
  }

  /** Takes effect at once, and only once. */
  leave(): void {
    const leaveAll = this.#leaveAll;
    if (leaveAll === undefined) return;
    this.#leaveAll = undefined;
    leaveAll();
    writeNow(this.#out.fd, LEAVE);
    try {
      this.#in.setRawMode(false);
    } catch {
      // The terminal is gone: there is nothing to restore.
    }
    this.#in.pause();
    this.#in.unref();
  }
}

const MOST_TRIES = 1_000;

/** Bypasses the stream, which may never get to write. */
function writeNow(file: number, text: string): void {
  const bytes = Buffer.from(text);
  let at = 0;
  for (let tries = 0; at < bytes.length && tries < MOST_TRIES; tries += 1) {
    try {
      at += writeSync(file, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EAGAIN" && code !== "EINTR") return;
    }
  }
}
