import { rmSync } from "node:fs";

/** Also while a process that has just been ended still writes a last file into it. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
