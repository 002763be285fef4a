import { expect, it } from "vitest";
import { databaseBefore } from "../../../../tests/database-before.ts";
import type { WebSession } from "../../../core/web/web-session.ts";
import { openStore } from "../store.ts";

const session: WebSession = {
  id: "s1",
  cookieDigest: "c1",
  keyDigest: "k1",
  browser: "A browser",
  host: "bellhop.localhost:2355",
  loggedInAt: 5,
  seenAt: 5,
};

it("adds logins of browsers to a database that has none, and keeps them over a restart", async () => {
  const path = await databaseBefore(19, "");
  const store = await openStore({ path });
  expect(store.read.webSessions()).toEqual([]);
  await store.write((tx) => {
    tx.putWebSession(session);
    tx.putWebSession({ ...session, id: "s2", cookieDigest: "c2", seenAt: 7 });
    tx.putWebSession({ ...session, id: "s3", cookieDigest: "c3" });
    tx.removeWebSession("s3");
    tx.seeWebSession("s1", 9);
    tx.seeWebSession("s3", 9);
  });
  await store.close();
  const again = await openStore({ path });
  expect(again.read.webSessions().map(({ id, seenAt }) => [id, seenAt])).toEqual([
    ["s1", 9],
    ["s2", 7],
  ]);
  expect(again.read.webSessionByCookie("c1")).toEqual({ ...session, seenAt: 9 });
  expect(again.read.webSessionByCookie("c3")).toBeUndefined();
  await again.close();
});
