import type { Database } from "../driver.ts";
import { FIRST_TABLES } from "./0001-first-tables.ts";
import { TIME } from "./0002-time.ts";
import { BROKER } from "./0003-broker.ts";
import { HOSTED } from "./0004-hosted.ts";
import { KEPT_WISHES } from "./0005-kept-wishes.ts";
import { REMINDER_KEYS } from "./0006-reminder-keys.ts";
import { LAST_REMINDER } from "./0007-last-reminder.ts";
import { OWN_KEYS } from "./0008-own-keys.ts";
import { ASKED_TIMEOUTS } from "./0009-asked-timeouts.ts";
import { ANY_WAY_IN } from "./0010-any-way-in.ts";
import { ANSWERS } from "./0011-answers.ts";
import { WINDOWS } from "./0012-windows.ts";
import { COPIES } from "./0013-copies.ts";
import { TOLD } from "./0014-told.ts";
import { WATCHES } from "./0015-watches.ts";

/** In order; the version of a database is how many of them it has seen. */
export const MIGRATIONS: readonly string[] = [
  FIRST_TABLES,
  TIME,
  BROKER,
  HOSTED,
  KEPT_WISHES,
  REMINDER_KEYS,
  LAST_REMINDER,
  OWN_KEYS,
  ASKED_TIMEOUTS,
  ANY_WAY_IN,
  ANSWERS,
  WINDOWS,
  COPIES,
  TOLD,
  WATCHES,
];

export const NEWEST_VERSION = MIGRATIONS.length;

export function databaseVersion(database: Database): number {
  const row = database.prepare("PRAGMA user_version").get() as { readonly user_version: number };
  return row.user_version;
}

/** Each step and its number in one transaction: a crash leaves the version before it, or the one after it. */
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
