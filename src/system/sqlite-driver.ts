import { BellhopError } from "../core/errors.ts";

/** The part of the `node:sqlite` API that Bellhop uses; both drivers implement it. */
export interface Database {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): PreparedStatement;
  /**
   * The package releases statements only when they are garbage-collected, and the files stay open until then: callers
   * that must release a lock at once use only `exec`.
   */
  close(): void;
}

export type SqlValue = string | number | bigint | Uint8Array | null;

export interface PreparedStatement {
  run(...values: SqlValue[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
  /** Rows as arrays: with the package, half the cost of rows as objects. */
  setReturnArrays(enabled: boolean): void;
  /** Integers as BigInt. Otherwise one that a number cannot hold exactly makes the statement fail. */
  setReadBigInts(enabled: boolean): void;
  columns(): readonly { readonly name: string }[];
}

interface ConnectOptions {
  readonly readOnly?: boolean;
  /** How long a statement waits for another connection's lock. */
  readonly busyTimeoutMs: number;
}

export type Connect = (path: string, options: ConnectOptions) => Database;

interface DriverModule {
  readonly DatabaseSync: new (
    path: string,
    options: {
      readonly readOnly: boolean;
      readonly timeout: number;
      readonly enableForeignKeyConstraints: boolean;
    },
  ) => Database;
}

/** In earlier versions, two connections could corrupt a WAL file while it was being reset. */
const OLDEST_SAFE_SQLITE = [3, 51, 3] as const;
const OLDEST_NODE_WITH_SQLITE = [24] as const;

/** The only place that knows which driver is used: Node's own if it is good enough, else the package. */
export async function loadDriver(
  versions: { readonly node: string; readonly sqlite?: string } = process.versions,
): Promise<Connect> {
  const module = (hasGoodBuiltin(versions) ? builtin() : undefined) ?? (await packaged());
  return (path, { readOnly = false, busyTimeoutMs }) =>
    new module.DatabaseSync(path, { readOnly, timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
}

export function hasGoodBuiltin(versions: { readonly node: string; readonly sqlite?: string }): boolean {
  return (
    versions.sqlite !== undefined &&
    isAtLeast(versions.node, OLDEST_NODE_WITH_SQLITE) &&
    isAtLeast(versions.sqlite, OLDEST_SAFE_SQLITE)
  );
}

function builtin(): DriverModule | undefined {
  return process.getBuiltinModule?.("node:sqlite") as DriverModule | undefined;
}

async function packaged(): Promise<DriverModule> {
  try {
    return (await import("@photostructure/sqlite")) as unknown as DriverModule;
  } catch (cause) {
    throw new BellhopError("store.failed", {
      message: "The SQLite driver does not load on this machine.",
      next: `Install Bellhop again, or run it with Node 24 or newer, which brings its own.`,
      cause,
    });
  }
}

function isAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split(".").map((part) => Number.parseInt(part, 10));
  for (const [index, wanted] of least.entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}
