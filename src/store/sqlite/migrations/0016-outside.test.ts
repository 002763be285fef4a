import { expect, it } from "vitest";
import { anOrigin, aRelay, aSpoken } from "../../../../tests/contract/store-outside.ts";
import { databaseBefore } from "../../../../tests/database-before.ts";
import { openStore } from "../store.ts";

it("gives an older database the tables of the world outside, and leaves its messages as they are", async () => {
  const path = await databaseBefore(
    16,
    `INSERT INTO agents (name, created_at, origin, chosen, paused) VALUES ('coder', 1, 'added', 0, 0)`,
  );
  const store = await openStore({ path });
  expect(store.read.agents().map(({ name }) => name)).toEqual(["coder"]);
  expect(store.read.bridgeKept("telegram", "offset")).toBeUndefined();
  expect(store.read.owingConfirmation(5)).toEqual([]);
  await store.write((tx) => {
    tx.keepForBridge("telegram", { offset: "1" });
    tx.putOrigin(anOrigin("m1"));
    tx.putSpoken(aSpoken("s1"));
    tx.putRelay(aRelay("m1"));
  });
  await store.close();
  const again = await openStore({ path });
  expect(again.read.bridgeKept("telegram", "offset")).toBe("1");
  expect([again.read.origin("m1"), again.read.spoken("telegram", "s1"), again.read.relayOf("m1")]).toEqual([
    anOrigin("m1"),
    aSpoken("s1"),
    aRelay("m1"),
  ]);
  await again.close();
});
