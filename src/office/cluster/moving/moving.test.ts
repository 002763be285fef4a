import { describe, expect, it } from "vitest";
import { type HostDesk, openHosts } from "../../../../tests/desk/host-desks.ts";
import type { HostRight } from "../../../core/cluster/admission.ts";

const claims = { user: "dev" } as const;

/** The agent `coder` of `a` does not run; `alice` does. */
async function twoHosts(rights: readonly HostRight[] = ["send", "hear", "move"]) {
  const { cluster, desks } = await openHosts("a", "b");
  const [a, b] = desks;
  const alice = a.agent("alice");
  await cluster.ready(rights);
  await a.done(a.use.agent_add({ name: "coder" }));
  return { cluster, a, b, alice };
}

function move(desk: HostDesk, host = "b", timeoutMs?: number) {
  const request = { name: "coder", host, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  return desk.done(desk.use.agent_move(request));
}

const patterns = async (desk: HostDesk) =>
  (await desk.done(desk.use.sub_list({ agent: "coder", claims }))).subscriptions.map(
    ({ pattern }) => pattern,
  );

describe("an agent that moves to another host", () => {
  it("takes its subscriptions along, and nobody has its name here any more", async () => {
    const { a, b, cluster } = await twoHosts();
    for (const pattern of ["team/*", "build/**"])
      await a.done(a.use.sub_add({ agent: "coder", pattern, claims }));
    await a.done(a.use.sub_add({ agent: "coder", session: "monitor", pattern: "night/*", claims }));
    expect(await move(a)).toEqual({ agent: "coder", host: "b", subscriptions: 3, messages: 0, sentOn: 0 });
    expect((await patterns(b)).toSorted()).toEqual(["build/**", "team/*"]);
    const monitor = await b.done(b.use.sub_list({ agent: "coder", session: "monitor", claims }));
    expect(monitor.subscriptions.map(({ pattern }) => pattern)).toEqual(["night/*"]);
    expect(a.store.read.agent("coder")).toBeUndefined();
    expect(a.store.read.subscriptions()).toEqual([]);
    await cluster.advance();
    expect((await a.send("coder", "after")).deliveries).toMatchObject([{ to: "host/b", agent: "coder" }]);
    await a.done(a.use.route({ path: "team/news", body: "news", claims }));
    await cluster.advance();
    expect(b.byBody("after")).toMatchObject([{ to: "agent/coder", state: "queued" }]);
    expect(b.byBody("news")).toMatchObject([{ to: "agent/coder", state: "queued" }]);
  });

  it("gets what waited for it, as the same messages in the same order, and their senders hear of it", async () => {
    const { a, b, cluster, alice } = await twoHosts();
    const one = await a.sendAs(alice, "coder", "one");
    const two = await a.sendAs(alice, "coder", "two");
    expect(await move(a)).toMatchObject({ messages: 2, sentOn: 0 });
    await cluster.advance();
    expect(b.store.read.message(one.messageId)).toMatchObject({ from: "agent/alice@a", to: "agent/coder" });
    // It is started there, and takes its name.
    const coder = b.agent("work");
    await b.done(b.use.ls({}));
    await b.done(b.use.name({ who: "work", name: "coder", claims }));
    await cluster.advance(10_000);
    expect(coder.program.submitted.join("\n")).toMatch(/moved here from a.*one.*two/su);
    expect([a.state(one), a.state(two)]).toEqual(["delivered", "delivered"]);
    expect(a.store.read.receiptsOf(`${one.messageId}.1`).map(({ note }) => note)).toContain(
      "its agent moved to b",
    );
  });

  it("gets what it heard on a path as a new message of the same sender, for nobody else there", async () => {
    const { a, b, cluster, alice } = await twoHosts();
    await a.done(a.use.sub_add({ agent: "coder", pattern: "team/*", claims }));
    await b.done(b.use.agent_add({ name: "other" }));
    await b.done(b.use.sub_add({ agent: "other", pattern: "team/*", claims }));
    await cluster.advance();
    const { messageId } = await a.sendAs(alice, "team/news", "heard");
    await cluster.advance();
    expect(await move(a)).toMatchObject({ messages: 1, sentOn: 0 });
    await cluster.advance();
    expect(b.byBody("heard").map(({ to }) => to)).toEqual(["agent/other", "agent/coder"]);
    expect(a.store.read.deliveriesOf(messageId).map(({ to, state }) => [to, state])).toEqual([
      ["agent/coder", "cancelled"],
      ["host/b", "delivering"],
    ]);
  });

  it("keeps its reminders, which follow the name", async () => {
    const { a, b, cluster } = await twoHosts();
    await a.done(a.use.remind({ to: "coder", text: "look", afterMs: 60_000, claims }));
    expect(await move(a)).toMatchObject({ sentOn: 0 });
    await cluster.advance(70_000);
    const waiting = await b.done(b.use.inbox({ who: "coder", claims }));
    expect(waiting.entries.map(({ message }) => message.body)).toEqual([
      expect.stringContaining("coder moved here"),
      expect.stringContaining("look"),
    ]);
  });

  it.each([
    ["without the right", ["send"] as const],
    ["without any", [] as const],
  ])("is refused %s, and everything stays as it was", async (_, rights) => {
    const { a, b } = await twoHosts(rights);
    await a.done(a.use.sub_add({ agent: "coder", pattern: "team/*", claims }));
    await a.send("coder", "stays");
    await expect(move(a)).rejects.toMatchObject({
      code: "message.failed",
      message: expect.stringContaining("a may not"),
    });
    expect(await patterns(a)).toEqual(["team/*"]);
    expect(a.byBody("stays")).toMatchObject([{ to: "agent/coder", state: "queued" }]);
    expect(b.store.read.agent("coder")).toBeUndefined();
  });

  it("stays if the other host does not answer, and nothing of it goes there later", async () => {
    const { a, b, cluster } = await twoHosts();
    cluster.hub.goDown();
    await cluster.advance();
    await expect(move(a, "b", 5_000)).rejects.toMatchObject({ code: "wait.timed_out" });
    expect(a.store.read.agent("coder")).toBeDefined();
    cluster.hub.comeUp();
    await cluster.advance(10_000);
    expect(b.store.read.agent("coder")).toBeUndefined();
  });

  it("is refused while it runs, if it is declared, or to a host that is none", async () => {
    const { a } = await twoHosts();
    await expect(move(a, "a")).rejects.toMatchObject({ code: "usage.invalid" });
    await expect(move(a, "moon")).rejects.toMatchObject({ code: "host.unknown" });
    await expect(a.done(a.use.agent_move({ name: "alice", host: "b" }))).rejects.toMatchObject({
      code: "agent.busy",
    });
    await a.done(a.office.declare([{ name: "coder", subscriptions: [], sessions: [] }]));
    await expect(move(a)).rejects.toMatchObject({ code: "usage.invalid" });
  });

  it("is not believed of anybody but the other Bellhop itself", async () => {
    const { b, cluster } = await twoHosts();
    const id = "0000abcd-0000-4000-8000-000000000001";
    const message = {
      ...{ id, shortId: "zzzzzz", from: "agent/alice@a", to: "agent/victim", body: "move", command: "move" },
      ...{ form: { kind: "text" }, priority: "normal", source: "bellhop", hops: 0 },
      payload: { subscriptions: ["x/**"], sessions: [] },
    };
    cluster.forges("a", "b", [{ kind: "letter", delivery: `${id}.1`, message }]);
    await cluster.advance();
    expect(b.store.read.takenLetter("a", `${id}.1`)?.refusal).toMatch(/^Nobody takes it/u);
    expect(b.store.read.agent("victim")).toBeUndefined();
    expect(b.store.read.subscriptions()).toEqual([]);
  });
});
