import { describe, expect, it } from "vitest";
import { anAgent } from "../../../tests/contract/store-samples.ts";
import { aHost, saidBy } from "../../../tests/desk/known-hosts.ts";
import { ANNOUNCED, LOOK_EVERY_MS, SOON_MS } from "./announcing.ts";

describe("what a host says of itself", () => {
  it("is its agents, its person and what somebody here subscribes to, once it starts", async () => {
    const host = await aHost("desk");
    await host.store.write((tx) => {
      tx.putAgent(anAgent("writer"));
      tx.putAgent(anAgent("coder"));
      for (const pattern of ["team/*", "team/*", "agent/coder", "build/**"])
        tx.putSubscription({
          owner: { kind: "agent", agent: "coder" },
          pattern,
          addedAt: 1,
          origin: "asked",
        });
    });
    host.open();
    await host.clock.advance(0);
    expect(saidBy(host)).toMatchObject({
      host: "desk",
      person: "dev",
      agents: [
        { name: "coder", state: "offline", sessions: [] },
        { name: "writer", state: "offline", sessions: [] },
      ],
      patterns: ["build/**", "team/*"],
    });
  });

  it("is said again soon after it changed, once for all changes, and not if nothing did", async () => {
    const host = await aHost("desk");
    const hosts = host.open();
    await host.clock.advance(LOOK_EVERY_MS * 3);
    expect(host.said).toHaveLength(1);
    await host.store.write((tx) => tx.putAgent(anAgent("coder")));
    await host.store.write((tx) => tx.putAgent(anAgent("writer")));
    await host.clock.advance(SOON_MS - 1);
    expect(host.said).toHaveLength(1);
    await host.clock.advance(1);
    expect(host.said).toHaveLength(2);
    expect(saidBy(host).agents.map(({ name }) => name)).toEqual(["coder", "writer"]);
    await host.store.write((tx) =>
      tx.putSubscription({
        owner: { kind: "agent", agent: "coder" },
        pattern: "team/news",
        addedAt: 1,
        origin: "asked",
      }),
    );
    hosts.changed();
    await host.clock.advance(SOON_MS);
    expect(saidBy(host).patterns).toEqual(["team/news"]);
    hosts.changed();
    await host.clock.advance(SOON_MS);
    expect(host.said).toHaveLength(3);
  });

  it("has a larger number each time, also after a restart with a clock that was set back", async () => {
    const host = await aHost("desk");
    const first = host.open();
    await host.clock.advance(0);
    const { number } = saidBy(host);
    expect(number).toBe(host.clock.now());
    await first.stop();
    await host.store.write((tx) =>
      tx.putKnownHost({ host: "desk", heardAt: 1, number: number + 3_600_000, announcement: "{}" }),
    );
    host.open();
    await host.clock.advance(0);
    expect(saidBy(host).number).toBe(number + 3_600_001);
  });

  it("is said no more once it is stopped", async () => {
    const host = await aHost("desk");
    const hosts = host.open();
    await host.clock.advance(0);
    await hosts.stop();
    await host.store.write((tx) => tx.putAgent(anAgent("coder")));
    await host.clock.advance(LOOK_EVERY_MS * 2);
    expect(host.said).toHaveLength(1);
  });

  it("is said another time if the disk or the engine refused it", async () => {
    const host = await aHost("desk");
    const hosts = host.open();
    await host.clock.advance(0);
    const push = host.said.push.bind(host.said);
    host.said.push = () => {
      throw new Error("no engine");
    };
    await host.store.write((tx) => tx.putAgent(anAgent("coder")));
    await host.clock.advance(SOON_MS);
    expect(host.warned).toContain("cluster.not_announced");
    host.said.push = push;
    await host.clock.advance(LOOK_EVERY_MS);
    expect(saidBy(host).agents).toHaveLength(1);
    expect(hosts.list()[0]).toMatchObject({ host: "desk", state: "here", agents: [{ name: "coder" }] });
  });

  it("has no more than can be carried", async () => {
    const host = await aHost("desk");
    await host.store.write((tx) => {
      for (let index = 0; index <= ANNOUNCED.agents; index += 1)
        tx.putAgent(anAgent(`${"a".repeat(55)}-${index}`));
    });
    host.open();
    await host.clock.advance(0);
    expect(saidBy(host).agents.length).toBeGreaterThan(3_000);
    expect(saidBy(host).agents.length).toBeLessThanOrEqual(ANNOUNCED.agents);
    expect(host.said[0]?.length).toBeLessThan(ANNOUNCED.bytes + 1_024);
  });
});
