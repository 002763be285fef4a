import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { connectionOver } from "../../src/store/sqlite/connection.ts";
import { openDatabase } from "../../src/store/sqlite/open.ts";
import { storeOver } from "../../src/store/sqlite/store.ts";
import type { Database } from "../../src/system/sqlite-driver.ts";
import { post } from "./store-samples.ts";

let folder: string;
let database: Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "bellhop-full-"));
  database = await openDatabase(join(folder, "bellhop.db"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("refuses with a full disk, keeps nothing of that tick, and goes on when there is room", async () => {
  const store = storeOver(
    database,
    connectionOver(database, () => {}),
  );
  const before = await store.write((tx) => post(tx));
  const { page_count: pages } = database.prepare("PRAGMA page_count").get() as { page_count: number };
  database.exec(`PRAGMA max_page_count = ${pages + 4}`);

  const outcomes = await Promise.allSettled([
    store.write((tx) => post(tx)),
    store.write((tx) => post(tx, { message: { body: "x".repeat(100_000) } })),
    store.write((tx) => post(tx)),
  ]);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "store.disk_full" } });
  }
  expect(store.read.deliveries({}).map(({ message }) => message.id)).toEqual([before.messageId]);

  await store.write((tx) => post(tx));
  database.exec("PRAGMA max_page_count = 1000000");
  await store.write((tx) => post(tx, { message: { body: "x".repeat(100_000) } }));
  expect(store.read.countQueued()).toBe(3);
  await store.close();
});
