import type { Trouble } from "../../core/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store, StoreWriter } from "../../ports/store.ts";
import { type Database, loadDriver } from "../../system/sqlite-driver.ts";
import { type Connection, connectionOver, type PoisonRow } from "./connection.ts";
import { DatabaseWatch } from "./files/database-watch.ts";
import { ForeignLock } from "./files/foreign-lock.ts";
import { GroupCommit } from "./group-commit.ts";
import { IN_MEMORY, layOutLog, openDatabase } from "./open.ts";
import { queriesOver, READS, WRITES } from "./queries.ts";

/** Keeps them from the garbage collector, which would close them. */
const LEFT_OPEN: Database[] = [];

const REAL_CLOCK: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  after(delayMs, call) {
    const timer = setTimeout(call, delayMs);
    return () => clearTimeout(timer);
  },
};

/** By then, a daemon that was just started has answered whoever started it. */
export const LAY_OUT_AFTER_MS = 1_000;

export interface StoreOptions {
  /** A file, or `:memory:`. */
  readonly path: string;
  readonly onPoison?: (row: PoisonRow) => void;
  /**
   * With it, the files are also checked while nothing is written; without it, only at every commit. With it, the log is
   * laid out a moment after the start, which does not wait for it.
   */
  readonly clock?: Clock;
  readonly onTrouble?: (trouble: Trouble | undefined) => void;
  /** For tests: every change runs twice, and the first run is rolled back. */
  readonly rehearses?: boolean;
}

export async function openStore(options: StoreOptions): Promise<Store> {
  const { path, onPoison = () => {}, clock = REAL_CLOCK, onTrouble: onChange = () => {} } = options;
  const database = await openDatabase(path, options.clock === undefined ? "now" : "later");
  const connection = connectionOver(database, onPoison);
  const { rehearses } = options;
  if (path === IN_MEMORY) return storeOver(database, connection, { path, clock, rehearses });
  const connect = await loadDriver();
  const watch = new DatabaseWatch({ path, database, connect, clock, seal: connection.seal, onChange });
  if (options.clock === undefined) return storeOver(database, connection, { path, clock, watch, onChange });
  watch.keepLooking();
  const onClose = clock.after(LAY_OUT_AFTER_MS, () => {
    if (watch.trouble() === undefined) layOutLog(database, path);
  });
  return storeOver(database, connection, { path, clock, watch, onChange, onClose });
}

export interface StoreSurroundings {
  readonly path: string;
  readonly clock: Clock;
  /** Only for a database in a file. */
  readonly watch?: DatabaseWatch;
  readonly onChange?: (trouble: Trouble | undefined) => void;
  readonly rehearses?: boolean | undefined;
  readonly onClose?: () => void;
}

export function storeOver(
  database: Database,
  connection: Connection,
  { path, clock, watch, onChange, rehearses, onClose }: StoreSurroundings = {
    path: IN_MEMORY,
    clock: REAL_CLOCK,
  },
): Store {
  const lock = new ForeignLock(path, clock, onChange);
  const assertStands = () => watch?.assertStands();
  const commits = new GroupCommit({ database, connection, lock, assertStands, rehearses });
  const read = queriesOver(connection, READS);
  const writer: StoreWriter = { ...read, ...queriesOver(connection, WRITES) };
  let closed: Promise<void> | undefined;
  const closeNow = async (): Promise<void> => {
    onClose?.();
    await commits.close();
    // Otherwise SQLite would write its pages into another's file. The end of the process closes it.
    if (watch?.close() === "untouched") {
      LEFT_OPEN.push(database);
      return;
    }
    try {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Everything is committed in the log already; the next start reads it from there.
    }
    database.close();
    watch?.letGo();
  };
  return {
    read,
    write: (change) => commits.add(() => change(writer)),
    writeCounts: () => ({ ...connection.memory.writeCounts }),
    trouble: () => watch?.trouble() ?? lock.trouble(),
    close() {
      closed ??= closeNow();
      return closed;
    },
  };
}
