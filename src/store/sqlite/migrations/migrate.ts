import type { Database } from "../../../system/sqlite-driver.ts";
import { MIGRATIONS } from "./migrations.ts";

export const NEWEST_VERSION = MIGRATIONS.length;

export function databaseVersion(database: Database): number {
  const row = database.prepare("PRAGMA user_version").get() as { readonly user_version: number };
  return row.user_version;
}

/** Each step and its version number are one transaction: a crash leaves the version before or after it. */
export function migrate(database: Database): void {
  for (const [index, sql] of MIGRATIONS.entries()) {
    if (databaseVersion(database) > index) continue;
    database.exec("BEGIN IMMEDIATE");
    try {
      database.exec(sql);
      database.exec(`PRAGMA user_version = ${index + 1}`);
      database.exec("COMMIT");
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }
}
