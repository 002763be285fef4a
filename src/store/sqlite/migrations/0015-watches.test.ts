import { expect, it } from "vitest";
import { databaseBefore } from "../../../../tests/database-before.ts";
import type { Watch } from "../../../core/watch.ts";
import { openStore } from "../store.ts";

const watch: Watch = {
  id: "aaaaaa",
  watcher: "agent/api",
  watched: "725fe7bb",
  on: ["turn-end", "exit"],
  once: false,
  createdAt: 5,
  turnsUntil: 5,
};

it("keeps watches across restarts, follows who is renamed, and ends with who is removed", async () => {
  const path = await databaseBefore(15, "");
  const store = await openStore({ path });
  const other: Watch = {
    ...watch,
    id: "bbbbbb",
    watched: "11111111",
    on: ["blocked"],
    once: true,
    toldQuestion: "q",
    watcherSession: "08bc57cf",
  };
  await store.write((tx) => {
    tx.putAgent({ name: "api", createdAt: 1, origin: "added", chosen: false, paused: false });
    tx.putWatch(watch);
    tx.putWatch(other);
    tx.putWatch({ ...watch, turnsUntil: 9 });
  });
  await store.close();
  const again = await openStore({ path });
  expect(again.read.watches()).toEqual([{ ...watch, turnsUntil: 9 }, other]);
  expect(again.read.watches({ watched: "11111111" })).toEqual([other]);
  await again.write((tx) => tx.removeWatch("bbbbbb"));
  await again.write((tx) => tx.renameAgent("api", "server"));
  expect(again.read.watches()).toMatchObject([{ watcher: "agent/server" }]);
  await again.write((tx) => tx.removeAgent("server"));
  expect(again.read.watches()).toEqual([]);
  await again.close();
});
