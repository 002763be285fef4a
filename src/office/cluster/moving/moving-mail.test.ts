import { describe, expect, it } from "vitest";
import { type HostDesk, openHosts } from "../../../../tests/desk/host-desks.ts";

const claims = { user: "dev" } as const;

/** `coder` of `a` does not run and hears `team/*`; Alice works on `a`, Carol on `c`. */
async function threeHosts() {
  const { cluster, desks } = await openHosts("a", "b", "c");
  const [a, b, c] = desks;
  const alice = a.agent("alice");
  const carol = c.agent("carol");
  await cluster.ready(["send", "hear", "move"]);
  await a.done(a.use.agent_add({ name: "coder" }));
  await a.done(a.use.sub_add({ agent: "coder", pattern: "team/*", claims }));
  await cluster.advance();
  const moves = async (from: HostDesk, host: string) => {
    const moved = await from.done(from.use.agent_move({ name: "coder", host }));
    await cluster.advance(5_000);
    return moved;
  };
  return { cluster, a, b, c, alice, carol, moves };
}

const NOTICE = /moved here/u;

/** What waits for it there, in the order in which it gets it; without the notice of its move. */
async function waiting(desk: HostDesk): Promise<readonly string[]> {
  const { entries } = await desk.done(desk.use.inbox({ who: "coder", claims }));
  return entries.map(({ message }) => message.body).filter((body) => !NOTICE.test(body));
}

/** The program of `coder` starts there, and gets everything. */
async function started(desk: HostDesk) {
  const coder = desk.agent("work");
  await desk.done(desk.use.ls({}));
  await desk.done(desk.use.name({ who: "work", name: "coder", claims }));
  await desk.advance(20_000);
  return { coder, typed: coder.program.submitted.join("\n") };
}

async function typedOn(desk: HostDesk): Promise<string> {
  return (await started(desk)).typed;
}

const isHere = (desk: HostDesk) => desk.store.read.agent("coder") !== undefined;

describe("what waits for an agent that moves to another host", () => {
  it("keeps its order, whether it was said to the agent or to a path", async () => {
    const { a, b, alice, moves } = await threeHosts();
    for (const [to, body] of [
      ["coder", "one"],
      ["team/news", "two"],
      ["coder", "three"],
    ] as const)
      await a.sendAs(alice, to, body);
    expect(await moves(a, "b")).toMatchObject({ messages: 3, sentOn: 0 });
    expect(await waiting(b)).toEqual(["one", "two", "three"]);
  });

  it("follows from the third host that sent it, which hears what became of it", async () => {
    const { a, b, c, carol, cluster, moves } = await threeHosts();
    const first = await c.sendAs(carol, "a:coder", "first");
    await c.sendAs(carol, "team/news", "second");
    await c.sendAs(carol, "a:coder", "third");
    await cluster.advance();
    expect(await moves(a, "b")).toMatchObject({ messages: 0, sentOn: 3 });
    expect([isHere(a), isHere(b)]).toEqual([false, true]);
    expect(a.store.read.subscriptions()).toEqual([]);
    expect(await waiting(b)).toEqual(["first", "second", "third"]);
    expect(c.state(first)).toBe("cancelled");
    expect(c.store.read.receiptsOf(`${first.messageId}.1`).at(-1)?.note).toMatch(
      /^its agent moved to b: it goes there as #/u,
    );
    expect((await typedOn(b)).match(/first|second|third/gu)).toEqual(["first", "second", "third"]);
    await cluster.advance(10_000);
    expect(c.byBody("third").map(({ state, to }) => [to, state])).toEqual([
      ["host/a", "cancelled"],
      ["host/b", "delivered"],
    ]);
  });

  it("does not follow from a host that lets no agents move, and its sender is told", async () => {
    const { a, b, c, carol, cluster, moves } = await threeHosts();
    c.admits("a", ["send", "hear"]);
    const sent = await c.sendAs(carol, "a:coder", "from c");
    await cluster.advance();
    expect(await moves(a, "b")).toMatchObject({ sentOn: 1 });
    expect([isHere(a), await waiting(b)]).toEqual([false, []]);
    expect(c.state(sent)).toBe("failed");
    expect(c.store.read.receiptsOf(`${sent.messageId}.1`).at(-1)?.note).toMatch(/send it to b:coder$/u);
    await cluster.advance(20_000);
    expect(carol.program.submitted.join("\n")).toContain("send it to b:coder");
  });

  it("waits in its mailbox as it was, if the host to which the agent moves had sent it", async () => {
    const { a, b, cluster, moves } = await threeHosts();
    const bob = b.agent("bob");
    await b.done(b.use.ls({}));
    const sent = await b.sendAs(bob, "a:coder", "from b");
    await cluster.advance();
    expect(await moves(a, "b")).toMatchObject({ sentOn: 1 });
    expect(b.byBody("from b")).toMatchObject([{ to: "agent/coder", state: "queued" }]);
    expect(await typedOn(b)).toContain("from b");
    expect(b.state(sent)).toBe("delivered");
  });

  it("follows only for the agent that moves, if others heard it too", async () => {
    const { a, b, c, carol, cluster, moves } = await threeHosts();
    const reviewer = a.agent("reviewer");
    await a.done(a.use.ls({}));
    await a.done(a.use.sub_add({ agent: "reviewer", pattern: "team/*", claims }));
    await cluster.advance();
    await c.sendAs(carol, "team/news", "for both");
    await cluster.advance(10_000);
    expect(reviewer.program.submitted).toHaveLength(1);
    expect(await moves(a, "b")).toMatchObject({ sentOn: 1 });
    expect(await waiting(b)).toEqual(["for both"]);
    await cluster.advance(30 * 60_000);
    expect(reviewer.program.submitted).toHaveLength(1);
    expect(await waiting(b)).toEqual(["for both"]);
  });

  it("is not sent on if its sender wants it back", async () => {
    const { a, b, c, carol, cluster, moves } = await threeHosts();
    const sent = await c.sendAs(carol, "a:coder", "not any more");
    await cluster.advance();
    cluster.hub.cutOff("c");
    await moves(a, "b");
    await c.done(c.use.queue_change({ id: `${sent.messageId}.1`, change: "cancel" }));
    cluster.hub.rejoin("c");
    await cluster.advance(20_000);
    expect([await waiting(b), c.state(sent)]).toEqual([[], "cancelled"]);
  });

  it("comes home with the agent as the same messages, and goes away again", async () => {
    const { a, b, alice, cluster, moves } = await threeHosts();
    const one = await a.sendAs(alice, "coder", "one");
    await a.sendAs(alice, "team/news", "two");
    await a.sendAs(alice, "coder", "three");
    await a.done(a.use.remind({ to: "coder", text: "look", afterMs: 3_600_000, claims }));
    await moves(a, "b");
    const reminded = (desk: HostDesk) =>
      desk.store.read.timers({}).map(({ work }) => "to" in work && work.to);
    expect(reminded(a)).toEqual(["agent/coder@b"]);
    expect(await moves(b, "a")).toMatchObject({ subscriptions: 1, messages: 0, sentOn: 3 });
    expect([isHere(a), isHere(b)]).toEqual([true, false]);
    expect(reminded(a)).toEqual(["agent/coder"]);
    expect(await waiting(a)).toEqual(["one", "two", "three"]);
    expect(a.delivery(one)).toMatchObject({ to: "agent/coder", state: "queued" });
    await moves(a, "b");
    expect([isHere(a), isHere(b)]).toEqual([false, true]);
    expect(await waiting(b)).toEqual(["one", "two", "three"]);
    await moves(b, "a");
    expect((await typedOn(a)).match(/one|two|three/gu)).toEqual(["one", "two", "three"]);
    await cluster.advance(30 * 60_000);
    expect(b.store.read.deliveries({ states: ["queued"] })).toEqual([]);
  });

  it("keeps it here, if the host that sent it is not admitted any more", async () => {
    const { a, c, carol, cluster } = await threeHosts();
    await c.sendAs(carol, "a:coder", "from c");
    await cluster.advance();
    a.expels("c");
    await expect(a.done(a.use.agent_move({ name: "coder", host: "b" }))).rejects.toMatchObject({
      code: "agent.busy",
      message: expect.stringContaining("came from c"),
    });
    expect([isHere(a), await waiting(a)]).toEqual([true, ["from c"]]);
  });

  it("refuses if there is an agent of that name, and says so", async () => {
    const { a, b, cluster } = await threeHosts();
    await b.done(b.use.agent_add({ name: "coder" }));
    await b.done(b.use.sub_add({ agent: "coder", pattern: "team/*", claims }));
    await cluster.advance();
    await expect(a.done(a.use.agent_move({ name: "coder", host: "b" }))).rejects.toMatchObject({
      code: "message.failed",
      message: expect.stringContaining("is here already"),
      next: expect.stringContaining("bellhop agent remove coder"),
    });
    expect([isHere(a), await waiting(b)]).toEqual([true, []]);
  });

  it("takes along what the session of its program heard", async () => {
    const { a, b, moves } = await threeHosts();
    const { coder } = await started(a);
    const [session] = a.store.read.sessionsOf("coder").filter(({ name }) => name === undefined);
    await a.done(a.use.sub_add({ agent: "coder", session: session?.id ?? "", pattern: "own/*", claims }));
    a.ends(coder);
    await a.done(a.use.ls({}));
    expect(await moves(a, "b")).toMatchObject({ subscriptions: 2 });
    expect(a.store.read.subscriptions()).toEqual([]);
    await a.done(a.use.route({ path: "own/news", body: "heard", claims }));
    await a.advance(5_000);
    expect(await typedOn(b)).toContain("heard");
  });

  it("keeps the reminders that it set for itself and for others", async () => {
    const { a, b, alice, cluster, moves } = await threeHosts();
    const { coder } = await started(a);
    const { server, pane } = coder.sighting.identity;
    const own = { user: "dev", tmux: { socket: server, pane } };
    await a.done(a.use.remind({ text: "own", afterMs: 60_000, claims: own }));
    await a.done(a.use.remind({ to: "alice", text: "for alice", afterMs: 60_000, claims: own }));
    a.ends(coder);
    await a.done(a.use.ls({}));
    await moves(a, "b");
    await cluster.advance(90_000);
    expect((await waiting(b)).join("\n")).toContain("own");
    expect(alice.program.submitted.join("\n")).toContain("for alice");
  });
});
