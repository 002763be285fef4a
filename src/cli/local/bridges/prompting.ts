/** Asks a person at a terminal, on stderr: stdout is for results. */
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { BellhopError } from "../../../core/errors.ts";

const NOWHERE = () => new Writable({ write: (_chunk, _encoding, done) => done() });

export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

export function askLine(question: string): Promise<string> {
  return ask(`${question}: `, process.stderr);
}

/** What is typed is not shown. */
export async function askSecret(question: string): Promise<string> {
  try {
    // The question comes after the terminal no longer shows what is typed: whoever sees it may answer at once.
    return await ask("", NOWHERE(), () => process.stderr.write(`${question}: `));
  } finally {
    process.stderr.write("\n");
  }
}

export async function confirm(question: string): Promise<boolean> {
  return /^(?:y(?:es)?)?$/i.test(await ask(`${question} [Y/n] `, process.stderr));
}

export function cancelled(): BellhopError {
  return new BellhopError("bridge.cancelled", {
    message: "Cancelled. Nothing was written.",
    next: "Run it again when you like.",
  });
}

function ask(
  question: string,
  output: NodeJS.WritableStream,
  listening: () => unknown = () => {},
): Promise<string> {
  // A history would keep secrets in memory.
  const reader = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  listening();
  return new Promise((resolve, reject) => {
    let answer: string | undefined;
    reader.on("SIGINT", () => reader.close());
    reader.on("close", () => (answer === undefined ? reject(cancelled()) : resolve(answer.trim())));
    reader.question(question, (text) => {
      answer = text;
      reader.close();
    });
  });
}
