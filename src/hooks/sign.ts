/** A file that is there while something waits for a hook after a tool. Without it the script does not even ask. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HookSign } from "../ports/hook-answers.ts";

export const HOOK_SIGN = "hooks-wanted";

/** If the file cannot be written, what waits goes at the end of the turn instead. */
export function hookSignIn(runFolder: string): HookSign {
  const path = join(runFolder, HOOK_SIGN);
  const waiting = new Set<string>();
  // Left by an earlier daemon.
  quietly(() => rmSync(path, { force: true }));
  let isKnownGone = false;
  return {
    wanted(session, areWanted) {
      if (areWanted) waiting.add(session);
      else waiting.delete(session);
      if (waiting.size === 0 && isKnownGone) return;
      const isThere = existsSync(path);
      if (waiting.size > 0 && !isThere) quietly(() => writeFileSync(path, "", { mode: 0o600 }));
      if (waiting.size === 0 && isThere) quietly(() => rmSync(path, { force: true }));
      isKnownGone = waiting.size === 0 && !existsSync(path);
    },
  };
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // The disk is full, or the folder is gone.
  }
}
