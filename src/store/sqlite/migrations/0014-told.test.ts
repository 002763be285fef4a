import { expect, it } from "vitest";
import { databaseBefore } from "../../../../tests/database-before.ts";
import { openStore } from "../store.ts";

it("takes what a person was told, forgets it when it is over or old, and knows it after a restart", async () => {
  const path = await databaseBefore(14, "");
  const store = await openStore({ path });
  await store.write((tx) => tx.putTold(["old", "a", "b"], 5));
  await store.write((tx) => tx.putTold(["a"], 50));
  await store.write((tx) => tx.putTold(["c"], 50));
  await store.write((tx) => tx.removeTold("b"));
  await store.close();
  const again = await openStore({ path });
  expect(again.read.told(["a", "b", "c", "d"])).toEqual(["a", "c"]);
  await again.write((tx) => tx.forgetFinishedBefore(10, 100));
  expect(again.read.told(["old", "a", "c"])).toEqual(["c"]);
  await again.close();
});
