import { expect, it, onTestFinished } from "vitest";
import type { Store } from "../../src/ports/store.ts";
import { connectionOver, type PoisonRow } from "../../src/store/sqlite/connection.ts";
import { IN_MEMORY, openDatabase } from "../../src/store/sqlite/open.ts";
import { storeOver } from "../../src/store/sqlite/store.ts";
import type { Database } from "../../src/system/sqlite-driver.ts";
import { aMessage, aSession, post } from "./store-samples.ts";

interface Opened {
  readonly database: Database;
  readonly store: Store;
  readonly reports: readonly PoisonRow[];
}

async function opened(): Promise<Opened> {
  const reports: PoisonRow[] = [];
  const database = await openDatabase(IN_MEMORY);
  const store = storeOver(
    database,
    connectionOver(database, (row) => reports.push(row)),
  );
  onTestFinished(() => store.close());
  return { database, store, reports };
}

it("leaves out a subscription that cannot be understood, and reports it", async () => {
  const { database, store, reports } = await opened();
  const owner = { kind: "agent", agent: "a" } as const;
  await store.write((tx) => {
    for (const pattern of ["x/1", "x/2"]) tx.putSubscription({ owner, pattern, addedAt: 1, origin: "asked" });
  });
  database.exec("UPDATE subscriptions SET origin = 'moon' WHERE pattern = 'x/1'");
  expect(store.read.subscriptionsOf(owner).map(({ pattern }) => pattern)).toEqual(["x/2"]);
  expect(store.read.subscriptions()).toHaveLength(1);
  expect(reports).toContainEqual(expect.objectContaining({ table: "subscriptions", key: "x/1" }));
});

it("leaves out a delivery whose handlers cannot be understood", async () => {
  const { database, store, reports } = await opened();
  const made = await store.write((tx) => post(tx, { delivery: { handledBy: ["00000001"] } }));
  database.exec(`UPDATE deliveries SET handled_by = '{"a":1}'`);
  expect(store.read.findDelivery(made.deliveryId)).toBeUndefined();
  expect(reports).toMatchObject([{ table: "deliveries", key: made.deliveryId }]);
});

it("fills a page of dead letters past those that cannot be understood", async () => {
  const { database, store } = await opened();
  const ids = await store.write((tx) =>
    Array.from({ length: 9 }, (_, at) => {
      const message = aMessage();
      tx.insertMessage(message);
      tx.insertUnmatched(message.id, at, "nobody");
      return message.id;
    }),
  );
  const bad = ids.filter((_, at) => at % 3 !== 0);
  for (const id of bad) database.exec(`UPDATE messages SET source = 'moon' WHERE id = '${id}'`);
  const good = ids.filter((id) => !bad.includes(id));
  const found = (letters: readonly { readonly message: { readonly id: string } }[]) =>
    letters.map(({ message }) => message.id);
  for (const limit of [1, 2, 3, 4]) {
    expect(found(store.read.unmatchedAfter(0, limit))).toEqual(good.slice(0, limit));
    expect(found(store.read.unmatched({ limit }))).toEqual(good.toReversed().slice(0, limit));
  }
});

it("finds no session by a name that belongs to a row that cannot be understood", async () => {
  const { database, store } = await opened();
  await store.write((tx) => tx.putSession(aSession("00000001", { agent: "a", name: "monitor" })));
  database.exec(`UPDATE sessions SET identity = '[]'`);
  expect(store.read.sessionByName("a", "monitor")).toBeUndefined();
});
