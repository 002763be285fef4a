import { expect, it } from "vitest";
import { aDelivery } from "../../../../tests/contract/store-samples.ts";
import { databaseBefore } from "../../../../tests/database-before.ts";
import { openStore } from "../store.ts";

it("keeps what waits from before, to be typed, and takes the wish of new ones", async () => {
  const path = await databaseBefore(
    10,
    `INSERT INTO addresses VALUES (1, 'agent/reader'), (2, 'person/dev');
     INSERT INTO messages (number, id, short_id, from_address, to_address, priority, source, hops, created_at, file, body)
       VALUES (1, 'aaaaaaaa', 'aaaaaa', 'person/dev', 'agent/reader', 'normal', 'person', 0, 5, '', CAST('soon' AS BLOB));
     INSERT INTO deliveries (sequence, mailbox, sender, position, priority, state, release_rule, attempts, at_most_once,
         possible_duplicate, queued_at)
       VALUES (65537, 1, 2, 65537, 'normal', 'queued', 'by-rule', 0, 0, 0, 5);`,
  );
  const store = await openStore({ path });
  const [before] = store.read.deliveriesOf("aaaaaaaa");
  expect(before).toMatchObject({ to: "agent/reader", state: "queued" });
  expect(before).not.toHaveProperty("anyWayIn");
  const after = await store.write((tx) => tx.insertDelivery(aDelivery("aaaaaaaa", { anyWayIn: true })));
  await store.close();
  const again = await openStore({ path });
  expect(again.read.findDelivery(after.id)).toMatchObject({ anyWayIn: true });
  await again.close();
});
