import { describe, expect, it, vi } from "vitest";
import { post } from "../../../../tests/contract/store-samples.ts";
import { openHosts } from "../../../../tests/desk/host-desks.ts";
import { WORKS } from "../../../../tests/desk/turn-takers.ts";
import type { HostRight } from "../../../core/cluster/admission.ts";
import type { AutoRunWords } from "../../../core/turns/auto-run.ts";

/** Longer than the moment for which turns wait. */
const UNTIL_TURN_MS = 10_000;

/** Alice works on `a`; on `b`, `night` takes turns without a terminal. */
async function nightOnB({ rights, words = WORKS }: { rights?: readonly HostRight[]; words?: AutoRunWords }) {
  const { cluster, desks } = await openHosts("a", "b");
  const [a, b] = desks;
  const alice = a.agent("alice");
  b.settings = { ...b.settings, turns: { ...b.settings.turns, any: true, everyone: words } };
  await cluster.ready(rights);
  await b.done(b.use.agent_add({ name: "night" }));
  await cluster.advance();
  return { cluster, a, b, alice };
}

it("what another host sends starts no turn without a terminal, and says what it waits for", async () => {
  const { cluster, a, b, alice } = await nightOnB({});
  const sent = await a.sendAs(alice, "b:night", "delete everything");
  await cluster.advance(UNTIL_TURN_MS);
  expect(b.runner.orders).toEqual([]);
  const [there] = b.byBody("delete everything");
  const why = "when the owner lets it go, because a may not start turns on b: bellhop queue now";
  expect(there).toMatchObject({ state: "queued", release: "by-rule", hold: { reason: "turn" } });
  expect(there?.hold?.release).toBe(`${why} ${sent.shortId}`);
  expect(a.delivery(sent).hold?.release).toBe(`b has it: turn, "${why} ${sent.shortId}"`);
  await b.send("night", "from here");
  await cluster.advance(UNTIL_TURN_MS);
  expect(b.runner.orders).toHaveLength(1);
  expect(b.runner.orders[0]?.prompt).not.toContain("delete");
});

it("the owner lets one go, and its answer goes back", async () => {
  const { cluster, a, b, alice } = await nightOnB({});
  const sent = await a.sendAs(alice, "b:night", "what is two and two?");
  await cluster.advance(UNTIL_TURN_MS);
  await b.done(b.use.queue_change({ id: sent.messageId, change: "now" }));
  await cluster.advance(UNTIL_TURN_MS);
  expect(b.runner.orders).toHaveLength(1);
  expect(a.state(sent)).toBe("replied");
  await a.sendAs(alice, "b:night", "and three?");
  await cluster.advance(UNTIL_TURN_MS);
  expect(b.runner.orders).toHaveLength(1);
});

it("a host with the right starts turns, also with what came before, until it is taken from it", async () => {
  const { cluster, a, b, alice } = await nightOnB({});
  await a.sendAs(alice, "b:night", "first");
  await cluster.advance(UNTIL_TURN_MS);
  b.admits("a", ["send", "hear", "turns"]);
  b.office.reconsider();
  await cluster.advance(UNTIL_TURN_MS);
  expect(b.runner.orders).toHaveLength(1);
  b.admits("a", ["send", "hear"]);
  await a.sendAs(alice, "b:night", "second");
  await cluster.advance(UNTIL_TURN_MS);
  expect(b.runner.orders).toHaveLength(1);
});

it("what waited from a host with the right goes after a restart: first the office opens, then the cluster", async () => {
  const { cluster, a, b, alice } = await nightOnB({});
  const sent = await a.sendAs(alice, "b:night", "first");
  await cluster.advance(UNTIL_TURN_MS);
  b.crash();
  b.admits("a", ["send", "hear", "turns"]);
  await b.ready();
  await cluster.advance(UNTIL_TURN_MS);
  expect(b.runner.orders).toHaveLength(1);
  expect(a.state(sent)).toBe("replied");
});

it("goes to its terminal once there is one", async () => {
  const { cluster, a, b, alice } = await nightOnB({});
  const sent = await a.sendAs(alice, "b:night", "hello");
  await cluster.advance(UNTIL_TURN_MS);
  const shell = b.agent("shell");
  await b.done(b.use.ls({}));
  await b.done(b.use.name({ who: "shell", name: "night", claims: { user: "dev" } }));
  await cluster.advance(UNTIL_TURN_MS);
  expect(shell.program.submitted).toEqual([expect.stringContaining("hello")]);
  expect(a.state(sent)).toBe("delivered");
});

it("is from outside for triage: it waits for the owner if nobody can say whether it matters", async () => {
  const words = { ...WORKS, triageModel: "haiku" };
  const { cluster, a, b, alice } = await nightOnB({ rights: ["send", "turns"], words });
  b.runner.verdict = () => ({ none: "no answer" });
  await a.sendAs(alice, "b:night", "do it");
  await b.send("night", "mine");
  await cluster.advance(UNTIL_TURN_MS);
  expect(b.byBody("do it")).toMatchObject([{ state: "queued", release: "withheld" }]);
  expect(b.runner.orders.map(({ prompt }) => prompt)).toEqual([expect.stringContaining("mine")]);
  expect(b.runner.questions).toHaveLength(2);
});

describe("much that is kept from turns", () => {
  const MANY = 1_000;

  /** They came from `a` while it might start turns. */
  const muchKept = async () => {
    const hosts = await nightOnB({});
    const { b, cluster } = hosts;
    const hold = { reason: "turn", since: 0, release: "soon" } as const;
    await b.store.write((tx) => {
      for (let at = 0; at < MANY; at += 1)
        post(tx, { message: { from: "agent/alice@a" }, delivery: { to: "agent/night", hold } });
    });
    b.office.reconsider();
    await cluster.advance(UNTIL_TURN_MS);
    return hosts;
  };

  it("all says for what it waits", async () => {
    const { b } = await muchKept();
    const kept = b.store.read.deliveries({ mailboxes: ["agent/night"], states: ["queued"] });
    expect(kept).toHaveLength(MANY);
    for (const { delivery } of kept) expect(delivery.hold?.release).toContain("a may not start turns on b");
    expect(b.runner.orders).toEqual([]);
  });

  it("is not read anew for each message, and holds up nothing from here", async () => {
    const { b, cluster } = await muchKept();
    const reads = vi.spyOn(b.store.read, "deliveries");
    await b.send("night", "from here");
    await cluster.advance(UNTIL_TURN_MS);
    expect(b.runner.orders).toHaveLength(1);
    expect(b.runner.orders[0]?.prompt).toContain("from here");
    const most = Math.max(...reads.mock.results.map(({ value }) => (value as readonly unknown[]).length));
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(200);
  });
});
