import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock, OpenWork } from "../../../tests/desk/clock.ts";
import { type Connect, type Database, loadDriver } from "../../system/sqlite-driver.ts";
import { databaseVersion, NEWEST_VERSION } from "./migrations/migrate.ts";
import { IN_MEMORY, LOG_PAGES, layOutLog, openDatabase, prepared } from "./open.ts";
import { LAY_OUT_AFTER_MS, openStore } from "./store.ts";

const PAGE = 4096;

let folder: string;
let path: string;
let connect: Connect;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "bellhop-open-"));
  path = join(folder, "bellhop.db");
  connect = await loadDriver();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const pragma = (database: Database, name: string) =>
  Object.values(database.prepare(`PRAGMA ${name}`).get() as Record<string, unknown>)[0];
const modeOf = (file: string) => statSync(file).mode & 0o777;

const TWO_THOUSAND_AGENTS = `
  WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < 2000)
  INSERT INTO agents (name, created_at, origin, chosen, paused) SELECT 'agent-' || value, 1, 'added', 0, 0 FROM numbers`;

/** The bytes of a database with rows in it, after a clean stop. */
async function cleanDatabase(): Promise<Buffer> {
  const origin = join(folder, "origin.db");
  const database = await openDatabase(origin);
  database.exec(TWO_THOUSAND_AGENTS);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  return readFileSync(origin);
}

describe("opening the database", () => {
  it("sets what durability rests on", async () => {
    const database = await openDatabase(path);
    expect(pragma(database, "journal_mode")).toBe("wal");
    expect(pragma(database, "synchronous")).toBe(2);
    expect(pragma(database, "foreign_keys")).toBe(1);
    expect(pragma(database, "busy_timeout")).toBe(5);
    expect(databaseVersion(database)).toBe(NEWEST_VERSION);
    database.close();
  });

  it("lays the log out at its full length, so that no commit has to", async () => {
    const database = await openDatabase(path);
    const { size } = statSync(`${path}-wal`);
    expect(size).toBeGreaterThan(LOG_PAGES * PAGE);
    expect(statSync(path).size).toBeLessThan(LOG_PAGES * PAGE);
    for (let count = 0; count < 20; count += 1) {
      database.exec(
        `INSERT INTO agents (name, created_at, origin, chosen, paused) VALUES ('agent-${count}', 1, 'added', 0, 0)`,
      );
    }
    expect(statSync(`${path}-wal`).size).toBe(size);
    expect(pragma(database, "cache_size")).toBe(-8192);
    expect(pragma(database, "integrity_check")).toBe("ok");
    database.close();
  });

  it("lays the log of a daemon out when it has been open for a moment, also after commits, and never when it closed", async () => {
    const clock = new FakeClock(new OpenWork());
    const store = await openStore({ path, clock });
    const agent = { createdAt: 1, origin: "added", chosen: true, paused: false } as const;
    await store.write((tx) => tx.putAgent({ name: "one", ...agent }));
    expect(statSync(`${path}-wal`).size).toBeLessThan(LOG_PAGES * PAGE);
    await clock.advance(LAY_OUT_AFTER_MS);
    const { size } = statSync(`${path}-wal`);
    expect(size).toBeGreaterThan(LOG_PAGES * PAGE);
    await store.write((tx) => tx.putAgent({ name: "two", ...agent }));
    expect(store.read.agents().map(({ name }) => name)).toEqual(["one", "two"]);
    expect(statSync(`${path}-wal`).size).toBe(size);
    await store.close();
    const closed = await openStore({ path, clock });
    await closed.close();
    await clock.advance(LAY_OUT_AFTER_MS);
    const database = await openDatabase(path);
    expect(database.prepare("SELECT count(*) AS count FROM messages").get()).toEqual({ count: 0 });
    expect(pragma(database, "integrity_check")).toBe("ok");
    database.close();
  });

  it("lays no log out while another program writes, and keeps its cache", async () => {
    const database = await openDatabase(path, "later");
    const other = connect(path, { busyTimeoutMs: 0 });
    other.exec("BEGIN IMMEDIATE");
    const { size } = statSync(`${path}-wal`);
    layOutLog(database, path);
    expect(statSync(`${path}-wal`).size).toBe(size);
    expect(database.isTransaction).toBe(false);
    expect(pragma(database, "cache_size")).toBe(-8192);
    other.exec("ROLLBACK");
    other.close();
    database.close();
  });

  it("opens where there is no room for that", async () => {
    (await openDatabase(path)).close();
    const full = (file: string, options: Parameters<Connect>[1]) => {
      const database = connect(file, options);
      database.exec("PRAGMA max_page_count = 1");
      return database;
    };
    const database = prepared(full, path);
    expect(database.isTransaction).toBe(false);
    expect(pragma(database, "cache_size")).toBe(-8192);
    expect(database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'filler'").get()).toBeUndefined();
    database.close();
  });

  it("opens in memory without touching a file", async () => {
    const database = await openDatabase(IN_MEMORY);
    expect(databaseVersion(database)).toBe(NEWEST_VERSION);
    database.close();
  });

  it("keeps all its files private, and closes what was left open to others", async () => {
    const before = process.umask(0o022);
    try {
      const database = await openDatabase(path);
      for (const suffix of ["", "-wal", "-shm"]) expect(modeOf(`${path}${suffix}`)).toBe(0o600);
      database.close();
      chmodSync(path, 0o644);
      (await openDatabase(path)).close();
      expect(modeOf(path)).toBe(0o600);
      expect(process.umask()).toBe(0o022);
    } finally {
      process.umask(before);
    }
  });

  it("takes over an empty file and one that a crash left without tables", async () => {
    writeFileSync(path, "", { mode: 0o600 });
    (await openDatabase(path)).close();
    rmSync(path);
    const bare = connect(path, { busyTimeoutMs: 0 });
    bare.exec("PRAGMA journal_mode = WAL");
    bare.close();
    const database = await openDatabase(path);
    expect(databaseVersion(database)).toBe(NEWEST_VERSION);
    database.close();
  });

  it("refuses a database of a newer Bellhop and leaves it as it is", async () => {
    const database = await openDatabase(path);
    database.exec(`PRAGMA user_version = ${NEWEST_VERSION + 1}`);
    database.close();
    const before = readFileSync(path);
    await expect(openDatabase(path)).rejects.toMatchObject({ code: "store.too_new" });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("refuses another program's database and leaves it as it is", async () => {
    const other = connect(path, { busyTimeoutMs: 0 });
    other.exec("CREATE TABLE theirs (a)");
    other.close();
    const before = readFileSync(path);
    await expect(openDatabase(path)).rejects.toMatchObject({
      code: "store.corrupt",
      message: expect.stringContaining("not a Bellhop database"),
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("opens a copy of a database that was closed", async () => {
    writeFileSync(path, await cleanDatabase());
    const database = await openDatabase(path);
    expect(database.prepare("SELECT count(*) AS count FROM agents").get()).toEqual({ count: 2000 });
    database.close();
  });

  it.each([
    ["is no database at all", () => Buffer.alloc(10_000, "x")],
    ["is shorter than a header", () => Buffer.from("short")],
    ["lost its end", (bytes: Buffer) => bytes.subarray(0, bytes.length - 2 * PAGE)],
    ["has garbage in its first page", (bytes: Buffer) => bytes.fill(0xa5, 40, 2_000)],
    [
      "has garbage in the middle",
      (bytes: Buffer) => bytes.fill(0xa5, bytes.length - 4 * PAGE, bytes.length - PAGE),
    ],
    [
      "has zeros in the middle",
      (bytes: Buffer) => bytes.fill(0, bytes.length - 4 * PAGE, bytes.length - PAGE),
    ],
  ])("refuses a file that %s, says what to do, and changes nothing", async (_, damage) => {
    const damaged = damage(await cleanDatabase());
    writeFileSync(path, damaged);
    await expect(openDatabase(path)).rejects.toMatchObject({
      code: "store.corrupt",
      message: expect.stringContaining("Nothing was changed"),
      next: expect.stringContaining("restore a backup"),
    });
    expect(readFileSync(path).equals(damaged)).toBe(true);
  });

  it("refuses a symbolic link, a folder and a link in place of the log", async () => {
    const elsewhere = join(folder, "elsewhere.db");
    (await openDatabase(elsewhere)).close();
    symlinkSync(elsewhere, path);
    await expect(openDatabase(path)).rejects.toMatchObject({ code: "file.unsafe" });
    await expect(openDatabase(folder)).rejects.toMatchObject({ code: "file.unsafe" });
    symlinkSync(elsewhere, join(folder, "second.db-wal"));
    await expect(openDatabase(join(folder, "second.db"))).rejects.toMatchObject({ code: "file.unsafe" });
  });

  it("says that it cannot open a file in a folder that is not there", async () => {
    await expect(openDatabase(join(folder, "none", "bellhop.db"))).rejects.toMatchObject({
      code: "store.failed",
    });
  });
});
