import { expect, it } from "vitest";
import { databaseBefore } from "../../../../tests/database-before.ts";
import { openStore } from "../store.ts";

it("knows from which places something came before the update", async () => {
  const path = await databaseBefore(
    17,
    `INSERT INTO origins (message_id, bridge, path, external_id, answerable, answers)
     VALUES ('m1', 'telegram', 'telegram/-100', 'u1', 'u1', '[]')`,
  );
  const store = await openStore({ path });
  expect(["telegram/-100", "telegram/77"].map((place) => store.read.hasArrivedFrom(place))).toEqual([
    true,
    false,
  ]);
  await store.close();
});
