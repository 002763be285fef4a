import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const MARK = ".rescued-";

/** Where the accepted messages are saved if the database is removed under a running daemon. */
export function rescuedCopy(database: string, at: number): string {
  return `${database}${MARK}${at}`;
}

/** A daemon that finds such a copy has started with an empty database, and should say so. */
export function rescuedCopies(database: string): readonly string[] {
  const folder = dirname(database);
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(database)}${MARK}`))
    .toSorted()
    .map((name) => join(folder, name));
}

export function warningOf(copy: string, database: string): string {
  return `An earlier database was taken away, and what was in it is saved in ${copy}. To go on with it, run "bellhop down", move it to ${database} and run "bellhop up". Remove it when nobody needs it.`;
}
