/** A question to whoever sits at the terminal. */
import { createInterface } from "node:readline/promises";

export function hearsPerson(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Enter alone means yes. */
export async function askPerson(question: string): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await reader.question(`${question} [Y/n] `);
    return /^(?:y(?:es)?)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}
