import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LIBRARY = "libfaketime.so.1";

/**
 * The path of the library on this system. It is looked for before its program is asked: that makes a semaphore named by
 * its process id, fails if there is one of that name, and programs that were killed leave theirs behind.
 */
function library(): string {
  const folders = ["/usr/lib", "/usr/local/lib", "/usr/lib64"].filter((folder) => existsSync(folder));
  const places = folders.flatMap((folder) => [
    folder,
    ...readdirSync(folder).map((name) => join(folder, name)),
  ]);
  const found = places.map((place) => join(place, "faketime", LIBRARY)).find((path) => existsSync(path));
  return (
    found ?? execFileSync("faketime", ["-f", "+0", "printenv", "LD_PRELOAD"], { encoding: "utf8" }).trim()
  );
}

/**
 * A wall clock that a test sets, for every program started with its `env`: ahead of the real one, or behind it. Clocks
 * that count passing time are left alone, as when somebody sets the clock of a machine.
 */
export class WallClock {
  readonly env: Readonly<Record<string, string>>;
  readonly #folder: string;
  readonly #file: string;
  #aheadMs = 0;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), "bh-clock-"));
    this.#file = join(this.#folder, "ahead");
    this.set(0);
    this.env = {
      LD_PRELOAD: library(),
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      NO_FAKE_STAT: "1",
    };
  }

  /** Takes effect at once, for all of them. */
  set(aheadMs: number): void {
    this.#aheadMs = aheadMs;
    const fresh = `${this.#file}.new`;
    writeFileSync(fresh, `${aheadMs < 0 ? "-" : "+"}${(Math.abs(aheadMs) / 1_000).toFixed(3)}\n`);
    renameSync(fresh, this.#file);
  }

  /** The time that they read now. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** The real time of a time that they recorded since the clock was last set. */
  real(instant: number): number {
    return instant - this.#aheadMs;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
