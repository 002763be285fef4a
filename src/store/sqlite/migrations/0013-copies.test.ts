import { expect, it } from "vitest";
import { databaseBefore } from "../../../../tests/database-before.ts";
import { openStore } from "../store.ts";

it("counts what waits from before without the copies that may only be received", async () => {
  const path = await databaseBefore(
    13,
    `INSERT INTO addresses VALUES (1, 'agent/reader'), (2, 'person/dev'), (3, 'session/00000001');
     INSERT INTO messages (number, id, short_id, from_address, to_address, priority, source, hops, created_at, file, body)
       VALUES (1, 'aaaaaaaa', 'aaaaaa', 'person/dev', 'slack/x', 'normal', 'person', 0, 5, '', CAST('soon' AS BLOB));
     INSERT INTO deliveries (sequence, mailbox, sender, position, priority, state, release_rule, attempts, at_most_once,
         possible_duplicate, queued_at, handled_by)
       VALUES (65537, 3, 2, 65537, 'normal', 'queued', 'by-rule', 0, 0, 0, 5, NULL),
         (65538, 1, 2, 65538, 'normal', 'queued', 'by-rule', 0, 0, 0, 5, '["00000001"]');`,
  );
  const store = await openStore({ path });
  expect(store.read.countQueued()).toBe(1);
  expect(store.read.countQueued(["agent/reader"])).toBe(0);
  expect(store.read.countQueued(["session/00000001"])).toBe(1);
  await store.close();
});
