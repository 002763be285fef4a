/**
 * Rings where a person sits. tmux has no command for it, so the one byte goes to the terminal that the client runs in:
 * no program reads it, and a terminal in the midst of a sequence rings and goes on.
 */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { isTtyPath } from "./telling.ts";

const BELL = "\x07";

/** Whether it rang. */
export async function ringAt(tty: string): Promise<boolean> {
  if (!isTtyPath(tty)) return false;
  try {
    const file = await open(tty, constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isCharacterDevice() || found.uid !== process.getuid?.()) return false;
      await file.write(BELL);
      return true;
    } finally {
      await file.close();
    }
  } catch {
    // They have left, or their terminal takes nothing just now.
    return false;
  }
}
