import { expect, it } from "vitest";
import { aSession } from "../../../../tests/contract/store-samples.ts";
import { databaseBefore } from "../../../../tests/database-before.ts";
import { openStore } from "../store.ts";

it("keeps the answers and sessions from before, and takes the window of new ones", async () => {
  const path = await databaseBefore(
    11,
    `INSERT INTO messages (number, id, short_id, from_address, to_address, priority, source, hops, created_at, file, body, reply_to)
       VALUES (1, 'aaaaaaaa', 'aaaaaa', 'person/dev', 'agent/reader', 'normal', 'person', 0, 5, '', CAST('?' AS BLOB), NULL),
              (2, 'bbbbbbbb', 'bbbbbb', 'agent/reader', 'person/dev', 'normal', 'agent', 1, 6, '', CAST('!' AS BLOB), 'aaaaaaaa');
     INSERT INTO sessions (id, agent, main, program, label, title, hooked, started_at, last_active_at, owes_first_turn)
       VALUES ('08bc57cf', 'reader', 1, 'claude', 'work:0.0', '', 0, 1, 1, 0);`,
  );
  const store = await openStore({ path });
  expect(store.read.answerTo("aaaaaaaa")).toMatchObject({ id: "bbbbbbbb", body: "!" });
  expect(store.read.session("08bc57cf")).not.toHaveProperty("window");
  const opened = aSession("00000001", { window: { command: ["claude"] } });
  await store.write((tx) => tx.putSession(opened));
  await store.close();
  const again = await openStore({ path });
  expect(again.read.session("00000001")).toEqual(opened);
  await again.close();
});
