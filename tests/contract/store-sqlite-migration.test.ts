import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DELIVERY_STATES } from "../../src/core/message.ts";
import type { Store } from "../../src/ports/store.ts";
import { FIRST_TABLES } from "../../src/store/sqlite/migrations/first-tables.ts";
import { databaseVersion, migrate, NEWEST_VERSION } from "../../src/store/sqlite/migrations/migrate.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { type Database, loadDriver } from "../../src/system/sqlite-driver.ts";
import {
  AN_ATTEMPT,
  AN_IDENTITY,
  aDelivery,
  aDraft,
  aHookEvent,
  aMessage,
  anAgent,
  aReceipt,
  aReminder,
  aSession,
  post,
} from "./store-samples.ts";

let folder: string;
let first: string;
let newest: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bellhop-migration-"));
  first = join(folder, "first.db");
  newest = join(folder, "newest.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function connect(path: string): Promise<Database> {
  return (await loadDriver())(path, { busyTimeoutMs: 1_000 });
}

/** One of each kind of row that the first version knew, in every state. */
async function fill(store: Store): Promise<void> {
  await store.write((tx) => {
    for (const state of DELIVERY_STATES) {
      const { deliveryId, messageId } = post(tx, {
        message: { body: `zwei\nZeilen \u{1f600} ${state}\0`, idempotencyKey: state, contentDigest: "d" },
        delivery: { state, timeoutAt: 5_000, attempt: AN_ATTEMPT, require: "submitted" },
      });
      tx.appendReceipt(deliveryId, aReceipt({ state, transport: "paste", evidence: "screen", note: "so" }));
      tx.insertDelivery(aDelivery(messageId, { to: "agent/other", atMostOnce: true }));
    }
    const dead = aMessage({ payload: { a: [1, null] }, command: "ping", source: "webhook" });
    tx.insertMessage(dead);
    tx.insertUnmatched(dead.id, 7, "nobody");
    tx.putAgent(anAgent("reader", { paused: true, chosen: true, origin: "added" }));
    tx.putSession(aSession("08bc57cf", { identity: AN_IDENTITY, programSessionId: "p", exitedAt: 9 }));
    tx.putSession(aSession("00000002"));
    tx.putKeptDraft(aDraft("k1", { text: "half\0a thought" }));
    tx.putKeptDraft(aDraft("k2", { state: "restored", settledAt: 5 }));
    tx.appendHookEvent(aHookEvent({ tokens: ["#m7k2q9]"], detail: "d" }));
  });
}

/** The file as the first version would have written it: its tables, and of every row the columns it had. */
async function writtenByTheFirst(): Promise<void> {
  const database = await connect(first);
  database.exec(FIRST_TABLES);
  database.exec("PRAGMA user_version = 1");
  database.exec(`ATTACH '${newest}' AS newest`);
  const tables = database
    .prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table' ORDER BY rootpage")
    .all() as { readonly name: string }[];
  for (const { name } of tables) {
    const columns = database.prepare(`PRAGMA main.table_info(${name})`).all() as { readonly name: string }[];
    const named = columns.map((column) => column.name).join(", ");
    database.exec(`INSERT INTO main.${name} (${named}) SELECT ${named} FROM newest.${name}`);
  }
  database.close();
}

function everything({ read }: Store): unknown {
  const items = read.deliveries({});
  return {
    items,
    receipts: items.map(({ delivery }) => read.receiptsOf(delivery.id)),
    byKey: DELIVERY_STATES.map((state) => read.byIdempotencyKey(state)),
    dead: read.findMessages("0000", 100).map(({ id }) => [id, read.isUnmatched(id)]),
    agents: read.agents(),
    sessions: read.sessions({ exitedSince: 0 }),
    drafts: read.keptDrafts({}),
    hooks: read.hookEvents("08bc57cf", 0),
    attempted: read.attemptedIn("08bc57cf", DELIVERY_STATES, 100).map(({ delivery }) => delivery.id),
  };
}

describe("a database of the first version", () => {
  it("keeps everything it holds, and takes what is new", async () => {
    const before = await openStore({ path: newest });
    await fill(before);
    const held = everything(before);
    await before.close();
    await writtenByTheFirst();
    const store = await openStore({ path: first });
    expect(everything(store)).toEqual(held);
    expect(store.read.nextExpiry()).toBe(5_000);
    expect(store.read.expiring(5_000, 10)).toHaveLength(1);
    expect([store.read.owing(10), store.read.timers({}), store.read.nextTimer()]).toEqual([
      [],
      [],
      undefined,
    ]);
    const mark = store.read.deadlineMark();
    await store.write((tx) => {
      post(tx, { delivery: { state: "delivered", owes: { onDelivery: true } } });
      tx.putTimer(aReminder("new", { dueAt: 1_000 }));
      tx.shiftDeadlines(500, mark);
    });
    expect(store.read.owing(10)).toHaveLength(1);
    expect([store.read.nextTimer(), store.read.nextExpiry()]).toEqual([1_500, 5_000]);
    await store.close();
  });

  it("is as it was when the change of its tables fails half-way, and is changed at the next start", async () => {
    const database = await connect(first);
    database.exec(FIRST_TABLES);
    database.exec("PRAGMA user_version = 1");
    // Something stands in the way of the last statement of the step.
    database.exec("CREATE TABLE timers_by_delivery (x)");
    expect(() => migrate(database)).toThrow();
    expect(databaseVersion(database)).toBe(1);
    const columns = database.prepare("PRAGMA table_info(deliveries)").all() as { readonly name: string }[];
    expect(columns.map(({ name }) => name)).not.toContain("owes");
    database.exec("DROP TABLE timers_by_delivery");
    migrate(database);
    expect(databaseVersion(database)).toBe(NEWEST_VERSION);
    database.close();
  });
});
