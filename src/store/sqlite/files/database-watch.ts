/**
 * Notices if the database is removed, truncated or replaced while it is open, or loses its log: at every commit, and
 * regularly while nothing is written. From then on nothing is committed, and what was accepted is saved if possible.
 */
import { rmSync } from "node:fs";
import type { BellhopError } from "../../../core/errors.ts";
import { type Trouble, troubleFrom } from "../../../core/errors.ts";
import type { Instant } from "../../../core/message.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Connect, Database } from "../../../system/sqlite-driver.ts";
import { DatabaseFiles } from "./database-files.ts";
import { type Lost, lostError, type Secured } from "./loss.ts";
import { secure, setAside } from "./rescue.ts";
import { rescuedCopy } from "./rescued-copies.ts";
import { type Facts, isUntouched, standing, whetherAway } from "./standing.ts";

export const LOOK_EVERY_MS = 1_000;

export interface WatchParts {
  readonly path: string;
  readonly database: Database;
  readonly connect: Connect;
  readonly clock: Clock;
  /** From now on the database cannot be read either. */
  seal(why: () => BellhopError): void;
  onChange(trouble: Trouble | undefined): void;
}

interface Loss {
  readonly lost: Lost;
  readonly since: Instant;
  secured: Secured;
}

export class DatabaseWatch {
  readonly #parts: WatchParts;
  readonly #files: DatabaseFiles;
  #known: Facts;
  #loss: Loss | undefined;
  #cancel: (() => void) | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#files = new DatabaseFiles(parts.path);
    this.#known = this.#files.look();
  }

  /** Looks regularly, even if nothing is written. */
  keepLooking(): void {
    this.#cancel = this.#parts.clock.after(LOOK_EVERY_MS, () => {
      this.look();
      this.keepLooking();
    });
  }

  assertStands(): void {
    if (this.#loss === undefined && this.#looksOtherwise()) this.look();
    if (this.#loss !== undefined) throw this.#error(this.#loss);
  }

  trouble(): Trouble | undefined {
    return this.#loss === undefined ? undefined : troubleFrom(this.#error(this.#loss), this.#loss.since);
  }

  look(): void {
    if (this.#loss !== undefined) this.#lookForReturn(this.#loss);
    else this.#lookForLoss();
  }

  #lookForLoss(): void {
    const now = this.#files.look(this.#known);
    const first = standing(this.#known, now);
    if (first.kind === "stands") {
      this.#known = now;
      return;
    }
    // Another program may be writing during the look: a change in place counts only if it is seen twice.
    const lost = first.kind === "away" ? first : standing(this.#known, this.#files.look(this.#known));
    if (lost.kind !== "stands") this.#lose(lost);
  }

  /** `orderly`: SQLite may close the files as usual, which writes the log into the database. */
  close(): "orderly" | "untouched" {
    this.#cancel?.();
    const loss = this.#loss;
    if (loss === undefined || loss.secured.kind === "in-database") return "orderly";
    this.#setLogAside(loss);
    return "untouched";
  }

  /** Call after SQLite has closed its files. */
  letGo(): void {
    this.#files.close();
  }

  #looksOtherwise(): boolean {
    const now = this.#files.glance();
    const known = this.#known;
    return (
      (["database", "log", "index"] as const).some(
        (file) => whetherAway(known[file], now[file]) !== undefined,
      ) ||
      (known.database !== undefined &&
        now.database !== undefined &&
        !isUntouched(known.database, now.database)) ||
      (now.log?.size ?? 0) < (known.log?.size ?? 0)
    );
  }

  #lose(lost: Lost): void {
    const loss: Loss = { lost, since: this.#parts.clock.now(), secured: { kind: "not-yet" } };
    this.#loss = loss;
    // We may be inside a transaction, which is rolled back first.
    setImmediate(() => this.#secure(loss));
  }

  #secure(loss: Loss): void {
    const { database, connect, path, onChange, seal } = this.#parts;
    loss.secured = secure(loss.lost, { database, connect, copy: rescuedCopy(path, loss.since) });
    if (loss.lost.kind === "changed") seal(() => this.#error(loss));
    if (loss.lost.how === "replaced" || loss.lost.kind === "changed") this.#setLogAside(loss);
    onChange(this.trouble());
  }

  #setLogAside({ since }: Loss): void {
    const { log, index } = this.#files.paths;
    setAside(log, this.#known.log, `${log}.lost-${since}`);
    setAside(index, this.#known.index, `${index}.lost-${since}`);
  }

  /** The file was moved away and back: nothing was written meanwhile. */
  #lookForReturn({ lost, secured }: Loss): void {
    if (lost.kind !== "away" || lost.how !== "removed" || lost.file !== "database") return;
    if (secured.kind === "not-yet" || standing(this.#known, this.#files.look(this.#known)).kind !== "stands")
      return;
    if (secured.kind === "copied") rmSync(secured.to, { force: true });
    this.#loss = undefined;
    this.#parts.onChange(undefined);
  }

  #error({ lost, secured }: Loss): BellhopError {
    return lostError(this.#files.paths, lost, secured);
  }
}
