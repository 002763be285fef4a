import { describe, expect, it } from "vitest";
import { type HostDesk, openHosts } from "../../../../tests/desk/host-desks.ts";

const claims = { user: "dev" } as const;

/** `coder` of `a` does not run. Carol works on `c`, which is cut off when she writes to it. */
async function writtenWhileCutOff() {
  const { cluster, desks } = await openHosts("a", "b", "c");
  const [a, b, c] = desks;
  const carol = c.agent("carol");
  await cluster.ready(["send", "hear", "move"]);
  await a.done(a.use.agent_add({ name: "coder" }));
  await cluster.advance(5_000);
  cluster.hub.cutOff("c");
  const sent = await c.sendAs(carol, "a:coder", "hello");
  const id = `${sent.messageId}.1`;
  const moves = (from: HostDesk, host: string) => from.done(from.use.agent_move({ name: "coder", host }));
  const comesBack = async () => {
    cluster.hub.rejoin("c");
    await cluster.advance(60_000);
    const all = c.byBody("hello").map(({ to, state }) => [to, state]);
    return { all, note: c.lastNote(sent), told: carol.program.submitted.join("\n") };
  };
  return { cluster, a, b, c, id, moves, comesBack };
}

async function waiting(desk: HostDesk): Promise<readonly string[]> {
  const { entries } = await desk.done(desk.use.inbox({ who: "coder", claims }));
  return entries.map(({ message }) => message.body).filter((body) => !body.includes("moved here"));
}

const REFUSED = /^on a: "Nobody takes it/u;

describe("what was on its way to an agent that moves meanwhile", () => {
  it("follows it", async () => {
    const { a, b, moves, comesBack } = await writtenWhileCutOff();
    await moves(a, "b");
    const { all, note } = await comesBack();
    expect(all).toEqual([
      ["host/a", "cancelled"],
      ["host/b", "delivering"],
    ]);
    expect(note).toMatch(/^its agent moved to b: it goes there as #/u);
    expect(await waiting(b)).toEqual(["hello"]);
  });

  it("follows it as often as it moved", async () => {
    const { a, b, c, moves, comesBack } = await writtenWhileCutOff();
    await moves(a, "b");
    await moves(b, "a");
    await moves(a, "b");
    const { all } = await comesBack();
    expect(all.at(-1)).toEqual(["host/b", "delivering"]);
    await moves(b, "a");
    await moves(a, "c");
    await c.advance(10_000);
    expect(await waiting(c)).toEqual(["hello"]);
  });

  it("follows it home, and from there, although its old host knows only that it went home", async () => {
    const { cluster, a, b, c, id, moves } = await writtenWhileCutOff();
    await c.done(c.use.queue_change({ id, change: "hold" }));
    cluster.hub.rejoin("c");
    await cluster.advance();
    await moves(a, "c");
    await cluster.advance();
    await moves(c, "b");
    await c.done(c.use.queue_change({ id, change: "now" }));
    await cluster.advance(10_000);
    expect(a.store.read.takenLetter("c", id)?.moved).toEqual(["agent/coder@c"]);
    expect(await waiting(b)).toEqual(["hello"]);
  });

  it("does not follow from a host that lets no agents move, and its sender is told", async () => {
    const { a, c, moves, comesBack } = await writtenWhileCutOff();
    c.admits("a", ["send", "hear"]);
    await moves(a, "b");
    const { all, told } = await comesBack();
    expect(all).toEqual([["host/a", "failed"]]);
    expect(told).toContain("a may not move agents here, so it did not follow: send it to b:coder");
  });

  it("is for whoever has the name by then", async () => {
    const { a, moves, comesBack } = await writtenWhileCutOff();
    await moves(a, "b");
    await a.done(a.use.agent_add({ name: "coder" }));
    expect((await comesBack()).all).toEqual([["host/a", "delivering"]]);
    expect(await waiting(a)).toEqual(["hello"]);
  });

  it("is refused if whoever had the name by then is removed", async () => {
    const { a, moves, comesBack } = await writtenWhileCutOff();
    await moves(a, "b");
    await a.done(a.use.agent_add({ name: "coder" }));
    await a.done(a.use.agent_remove({ name: "coder" }));
    expect((await comesBack()).note).toMatch(REFUSED);
  });

  it("is refused if its new host is not admitted any more, or does not have it", async () => {
    const first = await writtenWhileCutOff();
    await first.moves(first.a, "b");
    first.a.expels("b");
    expect((await first.comesBack()).note).toMatch(REFUSED);
    const { cluster, a, b, moves, comesBack } = await writtenWhileCutOff();
    await moves(a, "b");
    await b.done(b.use.agent_remove({ name: "coder", force: true }));
    await cluster.advance(60_000);
    expect((await comesBack()).note).toMatch(REFUSED);
  });
});
