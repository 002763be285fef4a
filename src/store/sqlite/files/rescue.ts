/** Saves what an open database still holds after its files were removed or replaced. */
import { renameSync, rmSync } from "node:fs";
import type { Connect, Database } from "../../../system/sqlite-driver.ts";
import { withPrivateFiles } from "../open.ts";
import { factsOf } from "./database-files.ts";
import type { Lost, Secured } from "./loss.ts";
import { type FileFacts, whetherAway } from "./standing.ts";

/** Copying blocks everything else; a larger database is left to its backups. */
const MOST_COPIED_BYTES = 512 * 1024 * 1024;

export function secure(
  { kind, file, how }: Lost,
  parts: { readonly database: Database; readonly connect: Connect; readonly copy: string },
): Secured {
  // The database is in place, and only we still have its log open.
  if (kind === "away" && file !== "database" && how === "removed" && checkpoint(parts.database))
    return { kind: "in-database" };
  // A copy would mix pages of the other data with ours.
  if (how === "overwritten") return { kind: "nothing", why: "other data stands where it was" };
  return copy(parts);
}

function checkpoint(database: Database): boolean {
  try {
    const done = database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get() as Record<string, number>;
    return done.busy === 0 && done.log === done.checkpointed;
  } catch {
    return false;
  }
}

/** Read through the files and memory that SQLite still has; used only if the copy passes the check. */
function copy({ database, connect, copy: path }: Parameters<typeof secure>[1]): Secured {
  try {
    if (bytesOf(database) > MOST_COPIED_BYTES) return { kind: "nothing", why: "it is too large to copy" };
    withPrivateFiles(() => database.exec(`VACUUM INTO '${path.replaceAll("'", "''")}'`));
    const copied = connect(path, { readOnly: true, busyTimeoutMs: 0 });
    try {
      const verdict = copied.prepare("PRAGMA quick_check(1)").get() as { readonly quick_check: string };
      if (verdict.quick_check !== "ok") throw new Error(verdict.quick_check);
    } finally {
      copied.close();
    }
    return { kind: "copied", to: path };
  } catch (error) {
    rmSync(path, { force: true });
    return { kind: "nothing", why: error instanceof Error ? error.message : String(error) };
  }
}

function bytesOf(database: Database): number {
  const count = database.prepare("PRAGMA page_count").get() as { readonly page_count: number };
  const size = database.prepare("PRAGMA page_size").get() as { readonly page_size: number };
  return count.page_count * size.page_size;
}

/** A log left next to another database would be replayed into it at the next start. */
export function setAside(path: string, own: FileFacts | undefined, aside: string): void {
  if (whetherAway(own, factsOf(path)) === undefined) renameSync(path, aside);
}
