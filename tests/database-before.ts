import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { MIGRATIONS } from "../src/store/sqlite/migrations/migrations.ts";
import { loadDriver } from "../src/system/sqlite-driver.ts";

/** A database as an older daemon left it, before the migration with this number, with these rows. */
export async function databaseBefore(step: number, rows: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "bellhop-migrate-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "bellhop.db");
  const database = (await loadDriver())(path, { busyTimeoutMs: 0 });
  database.exec("PRAGMA journal_mode = WAL");
  for (const sql of MIGRATIONS.slice(0, step - 1)) database.exec(sql);
  database.exec(`PRAGMA user_version = ${step - 1}; ${rows}`);
  database.close();
  return path;
}
