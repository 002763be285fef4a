/** Another program keeps the database locked for writing: the daemon still serves everybody. */
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Database, loadDriver } from "../../src/system/sqlite-driver.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { until } from "../rig/scripted-agent.ts";

let bellhop: Bellhop;
let other: Database;

beforeEach(async () => {
  bellhop = new Bellhop();
  await bellhop.start();
  await bellhop.json(["agent", "add", "api"]);
  const connect = await loadDriver();
  other = connect(join(bellhop.home, "bellhop.db"), { busyTimeoutMs: 5_000 });
  other.exec("BEGIN IMMEDIATE");
});
afterEach(async () => {
  if (other.isTransaction) other.exec("ROLLBACK");
  other.close();
  await bellhop.dispose();
});

it("answers who only asks at once, keeps what waits in order, and stores it when the lock is gone", async () => {
  const client = await bellhop.client();
  const sends = ["one", "two", "three"].map((body) =>
    client.call("send", { to: "api", body, claims: { user: "dev" } }),
  );
  await until(async () => (await client.call("status", {})).trouble.length > 0, "trouble");
  expect((await client.call("status", {})).trouble).toMatchObject([
    { code: "store.locked", message: expect.stringContaining(`process ${process.pid}`) },
  ]);
  expect((await client.call("queue", {})).deliveries).toEqual([]);
  other.exec("ROLLBACK");
  const stored = await Promise.all(sends);
  const { deliveries } = await client.call("queue", {});
  expect(deliveries.map(({ messageId }) => messageId)).toEqual(stored.map(({ messageId }) => messageId));
  expect((await client.call("status", {})).trouble).toEqual([]);
});

it("refuses what has waited long enough, says by whom it is kept, and goes on by itself", async () => {
  const refused = await bellhop.run(["send", "api", "too long", "--json"]);
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: "store.locked" } });
  expect((await bellhop.run(["status"])).stdout).toContain(`process ${process.pid}`);
  expect(bellhop.log()).toContain('"event":"store.locked"');
  other.exec("ROLLBACK");
  await bellhop.json(["send", "api", "again"]);
  expect(await bellhop.json<readonly unknown[]>(["queue", "api"])).toHaveLength(1);
});
