import { describe, expect, it } from "vitest";
import { type HostDesk, openHosts } from "../../../../tests/desk/host-desks.ts";
import type { BellhopError } from "../../../core/errors.ts";
import { LOOK_EVERY_MS } from "../announcing.ts";

const claims = { user: "dev" } as const;

async function refusal(desk: HostDesk, work: Promise<unknown>): Promise<BellhopError["code"] | "none"> {
  return desk.done(work).then(
    () => "none",
    (error: BellhopError) => error.code,
  );
}

/** An agent `coder` on both, `writer` only on b. */
async function twoHosts() {
  const { cluster, desks } = await openHosts("a", "b");
  const [a, b] = desks;
  a.agent("coder");
  b.agent("coder");
  b.agent("writer");
  await cluster.ready();
  return { cluster, a, b };
}

describe("who is on which host", () => {
  it("is listed with what each host last said", async () => {
    const { a, b, cluster } = await twoHosts();
    await cluster.advance(LOOK_EVERY_MS);
    const { host, sessions, elsewhere } = await a.done(a.use.ls({ allHosts: true }));
    expect(host).toBe("a");
    expect(sessions.map(({ agent }) => agent)).toEqual(["coder"]);
    expect(elsewhere).toMatchObject([
      { host: "b", agent: "coder", readiness: "idle", hostState: "up" },
      { host: "b", agent: "writer", readiness: "idle", hostState: "up" },
    ]);
    expect(elsewhere?.[1]?.sessions).toEqual(
      (await b.done(b.use.ls({}))).sessions.slice(1).map(({ id }) => id),
    );
    await b.done(b.use.agent_add({ name: "mailbox" }));
    await cluster.advance();
    const running = await a.done(a.use.ls({ allHosts: true }));
    expect(running.elsewhere?.map(({ agent }) => agent)).toEqual(["coder", "writer"]);
    const all = await a.done(a.use.ls({ all: true, allHosts: true }));
    expect(all.elsewhere?.at(-1)).toMatchObject({ agent: "mailbox", readiness: "offline", sessions: [] });
    expect(all.mailboxes).toEqual([]);
    await a.done(a.use.agent_add({ name: "own" }));
    const own = await a.done(a.use.ls({ all: true, allHosts: true }));
    expect(own.mailboxes).toMatchObject([{ host: "a", agent: "own", readiness: "offline", sessions: [] }]);
    expect(running).not.toHaveProperty("mailboxes");
    expect(await a.done(a.use.ls({}))).not.toHaveProperty("elsewhere");
  });

  it("decides where a word goes: here first, else to the only one elsewhere", async () => {
    const { a } = await twoHosts();
    expect((await a.send("coder", "one")).deliveries).toMatchObject([{ to: "agent/coder" }]);
    expect((await a.send("writer", "two")).deliveries).toMatchObject([{ to: "host/b", agent: "writer" }]);
    expect((await a.send("b:coder", "three")).deliveries).toMatchObject([{ to: "host/b", agent: "coder" }]);
    expect((await a.send("agent/coder@a", "four")).deliveries).toMatchObject([{ to: "agent/coder" }]);
    await expect(a.send("b:whoever", "five")).rejects.toMatchObject({ message: 'b has no agent "whoever".' });
    await expect(a.send("c:coder", "six")).rejects.toMatchObject({ code: "host.unknown" });
    await expect(a.send("nobody", "seven")).rejects.toMatchObject({
      code: "recipient.unknown",
      message: expect.stringContaining("on a, b"),
    });
  });

  it("is refused with candidates if two other hosts have the name", async () => {
    const { cluster, desks } = await openHosts("a", "b", "c");
    const [a, b, c] = desks;
    b.agent("writer");
    c.agent("writer");
    await cluster.ready();
    await expect(a.send("writer", "one")).rejects.toMatchObject({
      code: "recipient.ambiguous",
      candidates: ["b:writer", "c:writer"],
    });
  });

  it("is known while the other host and the engine are away, also after a restart", async () => {
    const { a, b, cluster } = await twoHosts();
    b.crash();
    cluster.hub.goDown();
    await a.open();
    await cluster.advance();
    const { elsewhere } = await a.done(a.use.ls({ allHosts: true }));
    expect(elsewhere).toMatchObject([{ hostState: "silent" }, { agent: "writer", hostState: "silent" }]);
    expect((await a.send("writer", "held")).deliveries).toMatchObject([{ to: "host/b", state: "queued" }]);
  });

  it("lets nobody use what works only where the agent runs", async () => {
    const { a } = await twoHosts();
    const { use } = a;
    const who = "b:writer";
    const verbs: readonly (readonly [string, () => Promise<unknown>])[] = [
      ["peek", () => use.peek({ who })],
      ["capture", () => use.capture({ who })],
      ["transcript", () => use.transcript({ who })],
      ["session", () => use.session({ who })],
      ["attach", () => use.attach({ who })],
      ["stop", () => use.session_stop({ who })],
      ["pause", () => use.pause({ who, paused: true })],
      ["inbox", () => use.inbox({ who, claims })],
      ["watch", () => use.watch({ who, claims })],
      ["agent", () => use.agent_show({ name: who })],
      ["subscribe", () => use.sub_add({ agent: who, pattern: "x", claims })],
      ["receive", () => use.receive({ agent: who, claims })],
      ["remove", () => use.agent_remove({ name: who })],
    ];
    const codes = [];
    for (const [name, ask] of verbs) codes.push([name, await refusal(a, ask())]);
    expect(codes).toEqual(verbs.map(([name]) => [name, "recipient.elsewhere"]));
  });
});

it("what works only here says of an agent that nobody here has on which hosts there is one", async () => {
  const { cluster, desks } = await openHosts("a", "b", "c");
  const [a, b, c] = desks;
  for (const desk of [b, c]) desk.agent("coder");
  c.agent("writer");
  await cluster.ready();
  const verbs: readonly ((name: string) => Promise<unknown>)[] = [
    (name) => a.use.agent_show({ name }),
    (name) => a.use.sub_add({ agent: name, pattern: "x", claims }),
  ];
  for (const ask of verbs) {
    await expect(a.done(ask("coder"))).rejects.toMatchObject({
      code: "agent.unknown",
      message: 'There is no agent "coder" on a; there is one on b and c.',
      next: expect.stringContaining('"bellhop send b:coder …"'),
    });
    await expect(a.done(ask("Writer"))).rejects.toMatchObject({
      message: 'There is no agent "Writer" on a; there is one on c.',
    });
    await expect(a.done(ask("nobody"))).rejects.toMatchObject({ message: 'There is no agent "nobody".' });
  }
});

it("a reminder may be for somebody on another host, in whatever form it is named", async () => {
  const { a, b, cluster } = await twoHosts();
  const [, writer] = (await b.done(b.use.ls({}))).sessions;
  for (const to of ["writer", "agent/writer@b", `session/${writer?.id}@b`])
    await a.done(a.use.remind({ to, text: "look again", afterMs: 60_000, claims }));
  await cluster.advance(80_000);
  const came = b.store.read
    .itemsAfter(undefined, 0, 10)
    .filter(({ message }) => message.body.includes("look"));
  expect(came.map(({ delivery: { to, state } }) => [to, state])).toEqual([
    ["agent/writer", "delivered"],
    ["agent/writer", "delivered"],
    [`session/${writer?.id}`, "delivered"],
  ]);
});

describe("paths across hosts", () => {
  it("go where somebody subscribes, from the moment that is known, and no longer than that", async () => {
    const { a, b, cluster } = await twoHosts();
    const publish = async (body: string) =>
      (await a.done(a.use.route({ path: "team/news", body, claims }))).unmatched ? "dead letter" : "taken";
    expect(await publish("one")).toBe("dead letter");
    await b.done(b.use.sub_add({ agent: "writer", pattern: "team/**", claims }));
    await cluster.advance();
    expect(await publish("two")).toBe("taken");
    await cluster.advance();
    expect(b.byBody("two")).toMatchObject([{ to: "agent/writer" }]);
    expect(a.byBody("two")).toMatchObject([{ to: "host/b" }]);
    const { recipients } = await a.done(a.use.route_try({ path: "team/news", claims }));
    expect(recipients).toMatchObject([{ to: "host/b", why: ["somebody on b subscribes to it"] }]);
    await b.done(b.use.sub_remove({ agent: "writer", pattern: "team/**", claims }));
    await cluster.advance();
    expect(await publish("three")).toBe("dead letter");
  });

  it("are heard once by each, and never sent on", async () => {
    const { cluster, desks } = await openHosts("a", "b", "c");
    const [a, b, c] = desks;
    for (const desk of desks) desk.agent(`on-${desk.host}`);
    await cluster.ready();
    for (const desk of desks)
      await desk.done(desk.use.sub_add({ agent: `on-${desk.host}`, pattern: "**", claims }));
    await cluster.advance();
    await a.done(a.use.route({ path: "team/news", body: "once", claims }));
    await cluster.advance(10_000);
    expect(a.byBody("once").map(({ to }) => to)).toEqual(["agent/on-a", "host/b", "host/c"]);
    expect(b.byBody("once").map(({ to }) => to)).toEqual(["agent/on-b"]);
    expect(c.byBody("once").map(({ to }) => to)).toEqual(["agent/on-c"]);
  });

  it("said to all agents stay on their host", async () => {
    const { a, b, cluster } = await twoHosts();
    await b.done(b.use.sub_add({ agent: "writer", pattern: "**", claims }));
    await cluster.advance();
    await a.done(a.use.route({ path: "agent/**", body: "to all here", claims }));
    await cluster.advance();
    expect(a.byBody("to all here").map(({ to }) => to)).toEqual(["agent/coder"]);
    expect(b.byBody("to all here")).toEqual([]);
  });
});
