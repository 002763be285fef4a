import { expect, it } from "vitest";
import { databaseBefore } from "../../../../tests/database-before.ts";
import type { PushSubscription } from "../../../core/web/push-subscription.ts";
import { openStore } from "../store.ts";

const texts = { publicKey: "p", secret: "s" };
const subscription = (webSession: string, endpoint: string, since = 1): PushSubscription => ({
  webSession,
  endpoint,
  since,
  ...texts,
});

it("keeps which browsers want notifications: one each, gone with their login", async () => {
  const login = `INSERT INTO web_sessions VALUES ('w1', 'c1', 'k1', 'b', 'h', 5, 5), ('w2', 'c2', 'k2', 'b', 'h', 5, 5)`;
  const path = await databaseBefore(20, login);
  const store = await openStore({ path });
  expect(store.read.pushSubscriptions()).toEqual([]);
  await store.write((tx) => {
    tx.putPushSubscription(subscription("w1", "old"));
    tx.putPushSubscription(subscription("w1", "new", 2));
    tx.putPushSubscription(subscription("w2", "other", 3));
  });
  await store.close();
  const again = await openStore({ path });
  expect(again.read.pushSubscriptions()).toEqual([
    subscription("w1", "new", 2),
    subscription("w2", "other", 3),
  ]);
  await again.write((tx) => tx.putPushSubscription(subscription("w2", "new", 4)));
  expect(again.read.pushSubscriptions()).toEqual([subscription("w2", "new", 4)]);
  await again.write((tx) => tx.removeWebSession("w2"));
  expect(again.read.pushSubscriptions()).toEqual([]);
  expect(again.read.webSessions().map(({ id }) => id)).toEqual(["w1"]);
  await again.close();
});
