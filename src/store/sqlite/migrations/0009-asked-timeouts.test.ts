import { expect, it } from "vitest";
import { aDelivery } from "../../../../tests/contract/store-samples.ts";
import { databaseBefore } from "../../../../tests/database-before.ts";
import { openStore } from "../store.ts";

it("keeps what expires from before, of which nobody knows what was asked, and takes it of new ones", async () => {
  const path = await databaseBefore(
    9,
    `INSERT INTO addresses VALUES (1, 'agent/reader'), (2, 'person/dev');
     INSERT INTO messages (number, id, short_id, from_address, to_address, priority, source, hops, created_at, file, body)
       VALUES (1, 'aaaaaaaa', 'aaaaaa', 'person/dev', 'agent/reader', 'normal', 'person', 0, 5, '', CAST('soon' AS BLOB));
     INSERT INTO deliveries (sequence, mailbox, sender, position, priority, state, release_rule, attempts, at_most_once,
         possible_duplicate, queued_at, timeout_at)
       VALUES (65537, 1, 2, 65537, 'normal', 'queued', 'by-rule', 0, 0, 0, 5, 9000);`,
  );
  const store = await openStore({ path });
  const [before] = store.read.expiring(9_000, 10);
  expect(before?.delivery).toMatchObject({ to: "agent/reader", timeoutAt: 9_000 });
  expect(before?.delivery).not.toHaveProperty("timeoutMs");
  const after = await store.write((tx) =>
    tx.insertDelivery(aDelivery("aaaaaaaa", { timeoutAt: 8_000, timeoutMs: 1_250 })),
  );
  await store.close();
  const again = await openStore({ path });
  expect(again.read.findDelivery(after.id)).toMatchObject({ timeoutAt: 8_000, timeoutMs: 1_250 });
  await again.close();
});
