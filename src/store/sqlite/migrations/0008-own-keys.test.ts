import { expect, it } from "vitest";
import { databaseBefore } from "../../../../tests/database-before.ts";
import { openStore } from "../store.ts";

const message = (id: string, from: string, key: string) =>
  `('${id}', '${id}', '${from}', 'agent/reader', 'normal', 'script', 0, 1, '${id}.md', ${key}, 'd', x'61')`;

it("knows the keys from before, each of its owner", async () => {
  const path = await databaseBefore(
    8,
    `INSERT INTO messages (id, short_id, from_address, to_address, priority, source, hops, created_at, file,
       idempotency_key, content_digest, body)
       VALUES ${message("aaaaaa", "program/a b", "'program/a b c'")}, ${message("bbbbbb", "agent/x", "'agent/x k 1'")},
         ${message("cccccc", "agent/x", "NULL")};
     INSERT INTO reminder_keys (key, content_digest, timer, mailbox, due_at, set_at)
       VALUES ('person/dev k 1', 'd', 'dddddd', 'agent/reader', 9, 4);`,
  );
  const store = await openStore({ path });
  expect(store.read.byIdempotencyKey("program/a b\nc")?.message.id).toBe("aaaaaa");
  expect(store.read.byIdempotencyKey("agent/x\nk 1")?.message.id).toBe("bbbbbb");
  expect(store.read.byIdempotencyKey("agent/x k 1")).toBeUndefined();
  expect(store.read.message("cccccc")?.from).toBe("agent/x");
  expect(store.read.reminderByKey("person/dev\nk 1")?.id).toBe("dddddd");
  await store.close();
});
