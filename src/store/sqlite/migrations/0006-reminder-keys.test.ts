import { expect, it } from "vitest";
import { aReminder } from "../../../../tests/contract/store-samples.ts";
import { databaseBefore } from "../../../../tests/database-before.ts";
import { openStore } from "../store.ts";

it("keeps reminders from before, which have no key, and takes keys of new ones", async () => {
  const path = await databaseBefore(
    6,
    `INSERT INTO addresses VALUES (1, 'agent/reader'), (2, 'agent/writer');
     INSERT INTO timers (id, kind, due_at, created_at, fired, counts, mailbox, set_by, text)
       VALUES ('aaaaaa', 'reminder', 9000, 4000, 0, 'elapsed', 1, 2, CAST('look again' AS BLOB));`,
  );
  const store = await openStore({ path });
  expect(store.read.timers({})).toEqual([aReminder("aaaaaa")]);
  expect(store.read.reminderByKey("person/dev k")).toBeUndefined();
  const keyed = {
    key: "person/dev k",
    contentDigest: "d",
    id: "bbbbbb",
    to: "agent/reader",
    dueAt: 9,
    setAt: 4,
  };
  await store.write((tx) => tx.putReminderKey(keyed));
  await store.close();
  const again = await openStore({ path });
  expect(again.read.reminderByKey("person/dev k")).toEqual(keyed);
  await again.close();
});
