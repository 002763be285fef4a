/**
 * Looks at the files of an open database from outside SQLite. Their descriptors are opened once and kept: closing any
 * descriptor of a file drops all locks that this process has on it, including SQLite's own.
 */
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { type DatabaseFile, type Facts, type FileFacts, isUntouched, type LogFacts } from "./standing.ts";

/** https://sqlite.org/walformat.html: in the machine's native byte order. */
const INDEX = {
  bytes: 132,
  pageBytes: 14,
  frames: 16,
  salt: 32,
  saltEnd: 40,
  backfilled: 96,
  attempted: 128,
};
const LOG_SALT = { from: 16, bytes: 8 };
const PAGE_BYTES = 4_096;
/** All of a small file, or this many spread over a large one. */
const SAMPLED_PAGES = 64;

export class DatabaseFiles {
  readonly paths: Readonly<Record<DatabaseFile, string>>;
  readonly #open: Readonly<Record<DatabaseFile, number>>;
  /** Used for every page of a sample. */
  readonly #page = Buffer.alloc(PAGE_BYTES);

  constructor(path: string) {
    this.paths = { database: path, log: `${path}-wal`, index: `${path}-shm` };
    this.#open = {
      database: openSync(this.paths.database, "r"),
      log: openSync(this.paths.log, "r"),
      index: openSync(this.paths.index, "r"),
    };
  }

  /** Cheap: where the files are, and when they changed. */
  glance(): Readonly<Record<DatabaseFile, FileFacts | undefined>> {
    const { database, log, index } = this.paths;
    return { database: factsOf(database), log: factsOf(log), index: factsOf(index) };
  }

  look(known?: Facts): Facts {
    const before = this.#logFacts();
    const files = this.glance();
    const logSalt = this.#read("log", LOG_SALT.from, LOG_SALT.bytes).toString("hex");
    const after = this.#logFacts();
    return { ...files, before, after, logSalt, sample: this.#sample(files.database, known) };
  }

  /** Only after SQLite has closed them. */
  close(): void {
    for (const file of Object.values(this.#open)) closeSync(file);
  }

  #logFacts(): LogFacts {
    const index = this.#read("index", 0, INDEX.bytes);
    if (index.length < INDEX.bytes)
      return { frames: 0, pageBytes: 0, salt: "", backfilled: 0, backfillAttempted: 0 };
    const view = new DataView(index.buffer, index.byteOffset, index.length);
    const number = (at: number): number => view.getUint32(at, LITTLE_ENDIAN);
    return {
      frames: number(INDEX.frames),
      pageBytes: view.getUint16(INDEX.pageBytes, LITTLE_ENDIAN),
      salt: index.subarray(INDEX.salt, INDEX.saltEnd).toString("hex"),
      backfilled: number(INDEX.backfilled),
      backfillAttempted: number(INDEX.attempted),
    };
  }

  /** Reuses the known sample of an untouched file. */
  #sample(now: FileFacts | undefined, known: Facts | undefined): string {
    if (now === undefined) return "";
    if (known?.database !== undefined && isUntouched(known.database, now)) return known.sample;
    const pages = Math.ceil(now.size / PAGE_BYTES);
    const step = Math.max(1, Math.floor(pages / SAMPLED_PAGES));
    const hash = createHash("sha1");
    for (let page = 0; page < pages; page += step) {
      const length = readSync(this.#open.database, this.#page, 0, PAGE_BYTES, page * PAGE_BYTES);
      hash.update(this.#page.subarray(0, length));
    }
    return hash.digest("hex");
  }

  #read(file: DatabaseFile, from: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(this.#open[file], bytes, 0, length, from));
  }
}

const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

export function factsOf(path: string): FileFacts | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return { device: stats.dev, inode: stats.ino, size: stats.size, changedAt: stats.mtimeMs };
}
