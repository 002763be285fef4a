import { expect, it } from "vitest";
import { aliceAndBob, type DeskCluster, type HostDesk } from "../../../../tests/desk/host-desks.ts";

const claims = { user: "dev" } as const;
const idOf = (round: number) => `0000abcd-0000-4000-8000-${String(round).padStart(12, "0")}`;

/** A letter of an agent of `a` to Bob that hides what it answers, and how often they went back and forth. */
async function brings(cluster: DeskCluster, round: number, from = "agent/mallory@a") {
  const id = idOf(round);
  cluster.forges("a", "b", [
    {
      ...{ kind: "letter", delivery: `${id}.1` },
      message: {
        ...{
          id,
          shortId: `z${String(round).padStart(5, "0")}`,
          from,
          to: "agent/bob",
          body: `again ${round}`,
        },
        ...{ form: { kind: "text" }, priority: "normal", source: "agent", hops: 0 },
      },
    },
  ]);
  await cluster.advance(8_000);
}

/** Tasks that Bob gave Alice in answer to her reports, more than a minute apart. */
async function tasksOf(count: number) {
  const hosts = await aliceAndBob();
  const { cluster, a, b, alice, bob } = hosts;
  const tasks: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const report = await a.sendAs(alice, "b:bob", `report ${number}`);
    await cluster.advance(10_000);
    const task = await b.sendAs(bob, "a:alice", `task ${number}`, { re: report.messageId });
    await cluster.advance(70_000);
    tasks.push(task.messageId);
  }
  return { ...hosts, tasks };
}

function limited(hops: number, ...desks: readonly HostDesk[]): void {
  for (const desk of desks) desk.settings = { ...desk.settings, loops: { ...desk.settings.loops, hops } };
}

const AWAY = ["b", "NATS"] as const;
it.each(AWAY)(
  "answers that were written over an hour are no loop when %s is back and all come at once",
  async (away) => {
    const { cluster, a, alice, tasks } = await tasksOf(5);
    if (away === "b") cluster.hub.cutOff("b");
    else cluster.hub.goDown();
    const sent = [];
    for (const re of tasks) {
      sent.push(await a.sendAs(alice, "b:bob", "done", { re }));
      await cluster.advance(600_000);
    }
    if (away === "b") cluster.hub.rejoin("b");
    else cluster.hub.comeUp();
    await cluster.advance(60_000);
    expect(sent.map((one) => a.state(one))).toEqual(sent.map(() => "delivered"));
  },
);

it("answers that were written within a minute are a loop, however late they come", async () => {
  const { cluster, a, b, alice, tasks } = await tasksOf(5);
  limited(1_000, a);
  a.settings = { ...a.settings, loops: { ...a.settings.loops, sameBody: 1_000 } };
  cluster.hub.cutOff("b");
  const sent = [];
  for (const re of tasks) sent.push(await a.sendAs(alice, "b:bob", "done", { re }));
  await cluster.advance(3_600_000);
  cluster.hub.rejoin("b");
  await cluster.advance(60_000);
  const stopped = sent.filter(({ messageId }) => b.store.read.isUnmatched(messageId));
  expect(stopped).toHaveLength(2);
  expect(stopped.map((one) => a.state(one))).toEqual(["failed", "failed"]);
  // Its sender may have sent it again by now.
  for (const { messageId: id } of stopped) {
    await expect(b.done(b.use.unmatched_reroute({ id }))).rejects.toMatchObject({ code: "message.failed" });
    expect(b.store.read.isUnmatched(id)).toBe(true);
  }
});

it("a host that hides what its agent answers goes back and forth no longer than others", async () => {
  const { cluster, a, b, bob } = await aliceAndBob();
  await a.done(a.use.agent_add({ name: "mallory" }));
  limited(6, b);
  let round = 0;
  for (; round < 20; round += 1) {
    await brings(cluster, round);
    if (b.store.read.isUnmatched(idOf(round))) break;
    await b.sendAs(bob, "a:mallory", `answer ${round}`);
  }
  expect(round).toBe(4);
  expect(b.store.read.unmatchedReason(idOf(round))).toContain("a loop");
});

it("nor if it says that it has every answer, or none", async () => {
  const { cluster, a, b, bob } = await aliceAndBob();
  await a.done(a.use.agent_add({ name: "mallory" }));
  limited(6, b);
  let round = 0;
  for (; round < 20; round += 1) {
    await brings(cluster, round);
    if (b.store.read.isUnmatched(idOf(round))) break;
    const { deliveries } = await b.sendAs(bob, "a:mallory", `answer ${round}`);
    const state = round % 2 === 0 ? "replied" : "failed";
    cluster.forges("a", "b", [
      { kind: "news", delivery: deliveries[0]?.id, number: 9e14, state, taken: true },
    ]);
    await cluster.advance();
  }
  expect(round).toBe(4);
});

it("agents on two hosts that answer each other on a path are stopped, as at home", async () => {
  const { cluster, a, b, alice, bob } = await aliceAndBob();
  limited(6, a, b);
  await a.done(a.use.sub_add({ agent: "alice", pattern: "for-a/**", claims }));
  await b.done(b.use.sub_add({ agent: "bob", pattern: "for-b/**", claims }));
  await cluster.advance();
  let last = await a.sendAs(alice, "for-b/news", "0");
  let round = 1;
  for (; round < 20 && !last.unmatched; round += 1) {
    await cluster.advance(8_000);
    const [desk, agent, to] =
      round % 2 === 1 ? ([b, bob, "for-a/news"] as const) : ([a, alice, "for-b/news"] as const);
    last = await desk.sendAs(agent, to, String(round));
  }
  expect(last.reason).toContain("a loop");
  expect(round).toBeLessThan(10);
});

it("whoever asks much is not stopped: only one of many is the answer", async () => {
  const { cluster, a, b, alice, bob } = await aliceAndBob();
  await a.sendAs(alice, "b:bob", "first");
  await cluster.advance();
  await b.sendAs(bob, "a:alice", "yes?");
  await cluster.advance();
  cluster.hub.goDown();
  for (let number = 0; number < 30; number += 1) await a.sendAs(alice, "b:bob", `question ${number}`);
  cluster.hub.comeUp();
  await cluster.advance(60_000);
  for (let number = 0; number < 30; number += 1) expect(b.byBody(`question ${number}`)).toHaveLength(1);
});

it("reports on a path are not stopped by reminders from a host that hears it", async () => {
  const { cluster, a, b, alice, bob } = await aliceAndBob();
  limited(6, a, b);
  await b.done(b.use.sub_add({ agent: "bob", pattern: "reports/**", claims }));
  await cluster.advance();
  for (let round = 0; round < 10; round += 1) {
    await b.done(b.use.remind({ to: "a:alice", text: `report ${round}`, afterMs: 60_000, claims }));
    await cluster.advance(70_000);
    expect(alice.program.submitted.join("\n")).toContain(`report ${round}`);
    expect((await a.sendAs(alice, "reports/hourly", `all is well ${round}`)).unmatched).toBe(false);
    await cluster.advance(10_000);
  }
  expect(bob.program.submitted.join("\n")).toContain("all is well 9");
});

it("agents on two hosts that write on paths now and then are not stopped", async () => {
  const { cluster, a, b, alice, bob } = await aliceAndBob();
  limited(6, a, b);
  await a.done(a.use.sub_add({ agent: "alice", pattern: "for-a/**", claims }));
  await b.done(b.use.sub_add({ agent: "bob", pattern: "for-b/**", claims }));
  await cluster.advance();
  for (let round = 0; round < 10; round += 1) {
    expect((await a.sendAs(alice, "for-b/news", `${round}`)).unmatched).toBe(false);
    await cluster.advance(1_800_000);
    expect((await b.sendAs(bob, "for-a/news", `${round}`)).unmatched).toBe(false);
    await cluster.advance(1_800_000);
  }
});
