/**
 * What the holder of the daemon's lock records about itself, in a file next to the lock. The lock decides; this file
 * only tells people, and a command that finds no socket, which process holds it.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

export interface LockHolder {
  readonly pid: number;
  /** As reported by the system; together with the pid it identifies one process for ever. Absent if unknown. */
  readonly startedAt?: string;
}

export function writeHolder(lock: string, { pid, startedAt = "" }: LockHolder): void {
  const file = holderFile(lock);
  const draft = `${file}.new`;
  try {
    rmSync(draft, { force: true });
    writeFileSync(draft, `${pid}\n${startedAt}\n`, { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
  } catch {
    // On a full disk, the next daemon learns that the lock is taken, but not by which process.
  }
}

/** That process may have ended since, and its pid may have been reused. */
export function readHolder(lock: string): LockHolder | undefined {
  try {
    const [pid, startedAt = ""] = readFileSync(holderFile(lock), "utf8").split("\n");
    const number = Number.parseInt(pid ?? "", 10);
    if (!Number.isSafeInteger(number) || number <= 0) return undefined;
    return startedAt === "" ? { pid: number } : { pid: number, startedAt };
  } catch {
    // The holder may have taken the lock but not written this file yet.
    return undefined;
  }
}

export function removeHolder(lock: string): void {
  rmSync(holderFile(lock), { force: true });
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function holderFile(lock: string): string {
  return `${lock}.pid`;
}
