import { expect, it } from "vitest";
import { DELIVERY_STATES } from "../../src/core/message.ts";
import type { StoreReader, StoreWriter } from "../../src/ports/store.ts";
import { connectionOver } from "../../src/store/sqlite/connection.ts";
import { IN_MEMORY, openDatabase } from "../../src/store/sqlite/open.ts";
import { storeOver } from "../../src/store/sqlite/store.ts";
import {
  AN_ATTEMPT,
  aDelivery,
  aDraft,
  aHookEvent,
  aMessage,
  anAgent,
  aReceipt,
  aSession,
  post,
} from "./store-samples.ts";

/** Each may walk a whole table, for the reason beside it. */
const MAY_SCAN: readonly (readonly [statement: RegExp, why: string])[] = [
  [/^SELECT number, path FROM addresses$/, "kept in memory, read once"],
  [/exited_at FROM sessions$/, "kept in memory, read once"],
  [/FROM agents ORDER BY name/, "kept in memory, read again after a change"],
  [/FROM kept_drafts ORDER BY kept_at/, "the answer is the whole table"],
  [/FROM kept_drafts WHERE settled_at IS NULL/, "the answer is the whole of a partial index"],
  [/FROM \(SELECT number, received_at FROM hook_events ORDER BY number LIMIT \?\)/, "ends at its limit"],
  [/UPDATE deliveries SET (mailbox|sender) = \?/, "a rename into the name of a removed agent"],
];

it("answers every query of the store from an index, without sorting", async () => {
  const database = await openDatabase(IN_MEMORY);
  const connection = connectionOver(database, () => {});
  const store = storeOver(database, connection);
  await store.write((tx) => exerciseWrites(tx));
  exerciseReads(store.read);

  const texts = connection.preparedTexts();
  expect(texts.length).toBeGreaterThan(40);
  const slow: string[] = [];
  for (const text of texts) {
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all() as { readonly detail: string }[];
    const bad = steps.filter(({ detail }) => /^SCAN (?!CONSTANT)|TEMP B-TREE FOR ORDER/.test(detail));
    if (bad.length > 0 && !MAY_SCAN.some(([statement]) => statement.test(text))) {
      slow.push(`${text}\n  → ${bad.map(({ detail }) => detail).join("; ")}`);
    }
  }
  await store.close();
  expect(slow).toEqual([]);
});

function exerciseWrites(tx: StoreWriter): void {
  const { messageId, deliveryId } = post(tx);
  tx.updateDelivery(deliveryId, { state: "delivering", attempt: AN_ATTEMPT, position: 2 });
  tx.updateDelivery(deliveryId, { hold: null });
  tx.insertDelivery(aDelivery(messageId, { to: "agent/b" }));
  tx.appendReceipt(deliveryId, aReceipt());
  const dead = aMessage();
  tx.insertMessage(dead);
  tx.insertUnmatched(dead.id, 1, "nobody");
  tx.putAgent(anAgent("a"));
  tx.putAgent(anAgent("reader"));
  tx.renameAgent("reader", "b");
  tx.renameAgent("b", "c");
  tx.putSession(aSession("08bc57cf"));
  tx.removeAgent("a");
  tx.putKeptDraft(aDraft("k"));
  tx.appendHookEvent(aHookEvent());
  post(tx, { message: { createdAt: 0 }, delivery: { state: "read" } });
  tx.forgetFinishedBefore(0, 10);
  tx.forgetFinishedBefore(1e9, 10);
}

function exerciseReads(read: StoreReader): void {
  read.message("m");
  read.findMessages("abcdef", 5);
  read.findDelivery("d");
  read.byIdempotencyKey("k");
  read.deliveriesOf("m");
  read.receiptsOf("d");
  read.deliveries({ states: DELIVERY_STATES });
  read.deliveries({ mailboxes: ["agent/b"], states: ["queued"], limit: 10 });
  read.deliveries({ states: ["queued"], priority: "interrupt" });
  read.countQueued();
  read.countQueued(["agent/b"]);
  read.attemptedIn("08bc57cf", ["delivering"], 5);
  read.newestUnanswered(["agent/writer"], ["agent/b"]);
  read.isUnmatched("m");
  read.agent("a");
  read.agents();
  read.session("08bc57cf");
  read.sessions({ exitedSince: 1 });
  read.sessionByProgramId("claude", "p");
  read.keptDrafts({});
  read.keptDrafts({ open: true });
  read.keptDrafts({ sessionId: "08bc57cf" });
  read.hookEvents("08bc57cf", 0);
}
