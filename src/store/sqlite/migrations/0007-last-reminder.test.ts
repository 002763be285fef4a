import { expect, it } from "vitest";
import { aReminder } from "../../../../tests/contract/store-samples.ts";
import { databaseBefore } from "../../../../tests/database-before.ts";
import { openStore } from "../store.ts";

it("keeps reminders from before, of which nothing is known to wait, and takes what came last of new ones", async () => {
  const path = await databaseBefore(
    7,
    `INSERT INTO addresses VALUES (1, 'agent/reader'), (2, 'agent/writer');
     INSERT INTO timers (id, kind, due_at, created_at, fired, counts, mailbox, set_by, text)
       VALUES ('aaaaaa', 'reminder', 9000, 4000, 3, 'elapsed', 1, 2, CAST('look again' AS BLOB));`,
  );
  const store = await openStore({ path });
  const before = aReminder("aaaaaa", { fired: 3 });
  expect(store.read.timers({})).toEqual([before]);
  const after = { ...before, work: { ...before.work, lastMessage: "m" } };
  await store.write((tx) => tx.putTimer(after));
  await store.close();
  const again = await openStore({ path });
  expect(again.read.timers({})).toEqual([after]);
  await again.close();
});
