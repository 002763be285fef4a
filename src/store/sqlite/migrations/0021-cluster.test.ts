import { expect, it } from "vitest";
import { databaseBefore } from "../../../../tests/database-before.ts";
import type { SentLetter, TakenLetter } from "../../../ports/cluster-store.ts";
import { openStore } from "../store.ts";

const M1 = `INSERT INTO messages (id, short_id, from_address, to_address, priority, source, hops, created_at, file, body)
  VALUES ('m1', 'aaaaaa', 'agent/a', 'agent/b@laptop', 'normal', 'agent', 0, 1, '', x'68');
  INSERT INTO addresses (path) VALUES ('agent/a');
  INSERT INTO deliveries
    (sequence, mailbox, sender, position, priority, state, release_rule, attempts, at_most_once, possible_duplicate, queued_at)
  VALUES (65537, 1, 1, 65537, 'normal', 'queued', 'by-rule', 0, 0, 0, 1)`;

it("adds letters to and from other hosts to a database that has none", async () => {
  const path = await databaseBefore(21, M1);
  const store = await openStore({ path });
  expect(store.read.knownHosts()).toEqual([]);
  expect(store.read.sentLetters({ limit: 1 })).toEqual([]);
  expect(store.read.takenLetters({ limit: 1 })).toEqual([]);
  const sent: SentLetter = {
    delivery: "m1.1",
    host: "laptop",
    sentAt: 5,
    attempts: 1,
    heeded: -1,
    isOver: false,
  };
  const taken: TakenLetter = { host: "laptop", delivery: "n1.1", takenAt: 6, told: 0, isOver: false };
  const host = { host: "laptop", heardAt: 7, number: 3, announcement: "{}" };
  await store.write((tx) => {
    tx.putSentLetter(sent);
    tx.putTakenLetter(taken);
    tx.putKnownHost(host);
  });
  await store.close();
  const again = await openStore({ path });
  expect(again.read.findDelivery("m1.1")?.state).toBe("queued");
  expect(again.read.sentLetters({ limit: 9 })).toEqual([sent]);
  expect(again.read.takenLetters({ limit: 9 })).toEqual([taken]);
  expect(again.read.knownHosts()).toEqual([host]);
  await again.close();
});
