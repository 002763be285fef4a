import { describe, expect, it } from "vitest";
import { aliceAndBob } from "../../../tests/desk/host-desks.ts";

describe("the way to another host and back", () => {
  const pings = async (before: (pair: Awaited<ReturnType<typeof aliceAndBob>>) => void) => {
    const pair = await aliceAndBob();
    const { a, cluster } = pair;
    const hosts = [{ host: "b", key: "any", rights: [] }];
    const configured = () => ({ host: "a", servers: [], stream: "", since: 0, hosts });
    a.clusterSetting = { ...a.clusterSetting, configured, test: async () => [] };
    await a.open();
    before(pair);
    await cluster.advance();
    const asked = a.use.cluster_test({ host: "b" });
    await cluster.advance(12_000);
    return (await asked).checks;
  };

  it("is tried by a question that changes nothing", async () => {
    expect(await pings(() => {})).toMatchObject([
      { name: "host b", verdict: "ok", detail: expect.stringMatching(/^it answered in \d/u) },
    ]);
  });

  it("is silent if the other host does not admit this one, and not tried at all if this one does not", async () => {
    expect(await pings(({ b }) => b.expels("a"))).toMatchObject([
      { verdict: "fail", detail: "it did not answer within 10 s" },
    ]);
    expect(await pings(({ a }) => a.expels("b"))).toMatchObject([{ verdict: "fail" }]);
  });

  it("says what the engine says", async () => {
    const found = await pings(({ cluster }) => cluster.hub.goDown("NATS is down"));
    expect(found).toMatchObject([
      { name: "cluster", verdict: "warn", detail: "the daemon is not in: NATS is down" },
      { name: "host b", verdict: "fail", detail: "NATS is down" },
    ]);
  });
});
