/** The files that a program needs for one turn, in a folder of ours that only the owner may read. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FILES_FOLDER, type HeadlessCommand } from "../programs/headless.ts";

export interface LaidOut {
  readonly command: HeadlessCommand;
  clear(): void;
}

export function layOut(command: HeadlessCommand, scratch: string): LaidOut {
  const files = Object.entries(command.files ?? {});
  if (files.length === 0) return { command, clear: () => {} };
  const folder = mkdtempSync(join(scratch, "files-"));
  const clear = () => rmSync(folder, { recursive: true, force: true });
  try {
    for (const [name, text] of files) writeFileSync(join(folder, name), text, { mode: 0o600, flag: "wx" });
  } catch (cause) {
    clear();
    throw cause;
  }
  const placed = (word: string) => word.replaceAll(FILES_FOLDER, folder);
  const environment = Object.entries(command.environment ?? {}).map(([name, value]) => [name, placed(value)]);
  return {
    command: {
      ...command,
      words: command.words.map(placed),
      environment: Object.fromEntries(environment),
    },
    clear,
  };
}
