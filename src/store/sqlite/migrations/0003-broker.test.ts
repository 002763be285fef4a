import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { aDelivery, aMessage, anAgent, aSession } from "../../../../tests/contract/store-samples.ts";
import type { Store } from "../../../ports/store.ts";
import { type Database, loadDriver } from "../../../system/sqlite-driver.ts";
import { openStore } from "../store.ts";
import { databaseVersion, migrate, NEWEST_VERSION } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";

const VERSION = 2;

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bellhop-migrate-"));
  path = join(folder, "bellhop.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** As a daemon from before the broker left it: an agent with a session, a waiting message, a dead letter. */
async function databaseOfVersionTwo(): Promise<Database> {
  const connect = await loadDriver();
  const database = connect(path, { busyTimeoutMs: 0 });
  database.exec("PRAGMA journal_mode = WAL");
  for (const sql of MIGRATIONS.slice(0, VERSION)) database.exec(sql);
  database.exec(`PRAGMA user_version = ${VERSION};
    INSERT INTO agents VALUES ('coder', 1, 'discovered', 0, 0);
    INSERT INTO sessions VALUES ('08bc57cf', 'coder', 1, 'claude', NULL, 'p-1', NULL, NULL, 'work:1.0', '', '/f',
      NULL, NULL, 0, 1, 1, NULL);
    INSERT INTO addresses VALUES (1, 'agent/coder'), (2, 'person/dev');
    INSERT INTO messages VALUES
      (1, 'aaaaaaaa-0000-4000-8000-000000000000', 'aaaaaa', 'person/dev', NULL, 'agent/coder', NULL, 'normal', NULL,
        'person', 'ext', NULL, NULL, 0, 5, 'coder/1.md', NULL, NULL, NULL, CAST('waits' AS BLOB)),
      (2, 'bbbbbbbb-0000-4000-8000-000000000000', 'bbbbbb', 'person/dev', NULL, 'x/y', NULL, 'normal', NULL,
        'person', NULL, NULL, NULL, 0, 6, 'shared/2.md', NULL, NULL, NULL, CAST('lost' AS BLOB));
    INSERT INTO deliveries (sequence, mailbox, sender, position, priority, state, release_rule, attempts, at_most_once,
      possible_duplicate, queued_at) VALUES (65537, 1, 2, 65537, 'normal', 'queued', 'by-rule', 0, 0, 0, 5);
    INSERT INTO unmatched VALUES (2, 6, 'nobody');`);
  return database;
}

async function opened(): Promise<Store> {
  (await databaseOfVersionTwo()).close();
  return openStore({ path });
}

it("keeps everything of a database from before the broker", async () => {
  const store = await opened();
  const { read } = store;
  expect(read.agents()).toEqual([anAgent("coder")]);
  expect(read.session("08bc57cf")).toEqual(
    aSession("08bc57cf", { agent: "coder", programSessionId: "p-1", folder: "/f" }),
  );
  const [item] = read.deliveries({ mailboxes: ["agent/coder"], states: ["queued"], forTerminals: true });
  expect(item?.message).toMatchObject({ body: "waits", externalId: "ext" });
  expect(item?.message).not.toHaveProperty("channel");
  expect(item?.delivery).not.toHaveProperty("handledBy");
  expect(read.unmatchedAfter(0, 10)).toMatchObject([{ message: { body: "lost" }, reason: "nobody" }]);
  expect(read.subscriptions()).toEqual([]);
  await store.close();
});

it("takes what the broker brings, and has it after the next start", async () => {
  const before = await opened();
  const message = aMessage({ channel: "slack", source: "bridge" });
  const owner = { kind: "session", sessionId: "08bc57cf" } as const;
  await before.write((tx) => {
    tx.putSubscription({ owner, pattern: "slack/**", addedAt: 1, origin: "asked" });
    tx.insertMessage(message);
    tx.insertDelivery(aDelivery(message.id, { to: "agent/coder", handledBy: ["08bc57cf"] }));
    tx.putSession(aSession("00000001", { agent: "coder", name: "monitor" }));
  });
  await before.close();
  const { read, close } = await openStore({ path });
  expect(read.subscriptionsOf(owner)).toHaveLength(1);
  expect(read.message(message.id)?.channel).toBe("slack");
  expect(read.deliveriesOf(message.id)).toMatchObject([{ handledBy: ["08bc57cf"] }]);
  expect(read.sessionByName("coder", "monitor")?.id).toBe("00000001");
  await close();
});

it("is done once, and a start that dies in it begins again from where it stood", async () => {
  const database = await databaseOfVersionTwo();
  // The last table of the step already exists: the step fails and leaves nothing of what it did before.
  database.exec("ALTER TABLE deliveries ADD COLUMN handled_by TEXT");
  expect(() => migrate(database)).toThrow();
  expect(databaseVersion(database)).toBe(VERSION);
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE name = 'subscriptions'").all();
  expect(tables).toEqual([]);
  database.exec("ALTER TABLE deliveries DROP COLUMN handled_by");
  migrate(database);
  migrate(database);
  expect(databaseVersion(database)).toBe(NEWEST_VERSION);
  database.close();
});
