import { describe, expect, it } from "vitest";
import { hasGoodBuiltin, loadDriver } from "./sqlite-driver.ts";

describe("the choice of a driver", () => {
  it.each([
    ["24.21.0", "3.51.3", true],
    ["24.21.0", "3.53.4", true],
    ["26.0.0", "4.0.0", true],
    ["24.9.0", "3.50.4", false],
    ["24.9.0", "3.51.2", false],
    ["22.20.0", "3.53.0", false],
    ["20.20.2", undefined, false],
  ] as const)("on Node %s with SQLite %s takes the built-in one: %s", (node, sqlite, builtin) => {
    expect(hasGoodBuiltin(sqlite === undefined ? { node } : { node, sqlite })).toBe(builtin);
  });

  it("brings an SQLite without the log's old bug", async () => {
    const connect = await loadDriver();
    const database = connect(":memory:", { busyTimeoutMs: 0 });
    const { version } = database.prepare("SELECT sqlite_version() AS version").get() as { version: string };
    database.close();
    expect(hasGoodBuiltin({ node: "24.0.0", sqlite: version })).toBe(true);
  });

  it("falls back to the package where Node has none", async () => {
    const connect = await loadDriver({ node: "20.19.0" });
    const database = connect(":memory:", { busyTimeoutMs: 0 });
    expect(database.prepare("SELECT 1 AS one").get()).toEqual({ one: 1 });
    database.close();
  });
});
