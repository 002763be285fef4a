import { expect, it } from "vitest";
import { databaseBefore } from "../../../../tests/database-before.ts";
import { openStore } from "../store.ts";

const BEFORE = `INSERT INTO hook_events (session_id, event, emitted_at, received_at, tokens)
  VALUES ('3573b51f', 'turn-ended', 1, 1, '[]')`;
const TOLD = { sessionId: "3573b51f", event: "turn-ended", tokens: [] } as const;

it("keeps what hooks reported, and from now on in which conversation", async () => {
  const path = await databaseBefore(23, BEFORE);
  const store = await openStore({ path });
  const next = { ...TOLD, emittedAt: 2, receivedAt: 2, conversation: "ses_1" };
  await store.write((tx) => tx.appendHookEvent(next));
  expect(store.read.hookEvents("3573b51f", 0)).toEqual([{ ...TOLD, emittedAt: 1, receivedAt: 1 }, next]);
  await store.close();
});
