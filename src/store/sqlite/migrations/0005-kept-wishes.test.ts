import { expect, it } from "vitest";
import { aMessage } from "../../../../tests/contract/store-samples.ts";
import { databaseBefore } from "../../../../tests/database-before.ts";
import { openStore } from "../store.ts";

it("keeps dead letters from before, of which nothing more is wanted, and takes new ones with their wishes", async () => {
  const path = await databaseBefore(
    5,
    `INSERT INTO messages (number, id, short_id, from_address, to_address, priority, source, hops, created_at, file, body)
       VALUES (1, 'aaaaaaaa', 'aaaaaa', 'person/dev', 'x/y', 'normal', 'person', 0, 5, '', CAST('lost' AS BLOB));
     INSERT INTO unmatched (message, at, reason) VALUES (1, 6, 'nobody');`,
  );
  const store = await openStore({ path });
  expect(store.read.unmatchedAfter(0, 10)).toMatchObject([{ message: { body: "lost" }, reason: "nobody" }]);
  expect(store.read.unmatchedWishes("aaaaaaaa")).toEqual({});
  const message = aMessage();
  await store.write((tx) => {
    tx.insertMessage(message);
    tx.insertUnmatched(message.id, 7, "nobody", { timeoutMs: 9 });
  });
  await store.close();
  const again = await openStore({ path });
  expect(again.read.unmatchedWishes(message.id)).toEqual({ timeoutMs: 9 });
  await again.close();
});
