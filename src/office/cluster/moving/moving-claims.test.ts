import { describe, expect, it } from "vitest";
import { type HostDesk, openHosts } from "../../../../tests/desk/host-desks.ts";
import type { HostRight } from "../../../core/cluster/admission.ts";
import { MOST_FOLLOWING } from "../../../core/cluster/moving.ts";

const claims = { user: "dev" } as const;
const FAITHFUL = { state: "cancelled", taken: true } as const;

/** Alice works on `a`, Bob on `b`; there are also `coder`, which hears `team/*`, and `other`; neither runs. */
async function waitingOnB(rights: readonly HostRight[] = ["send", "hear", "move", "raw"]) {
  const { cluster, desks } = await openHosts("a", "b", "c");
  const [a, b, c] = desks;
  const alice = a.agent("alice");
  const bob = b.agent("bob");
  await cluster.ready(rights);
  for (const name of ["coder", "other"]) await b.done(b.use.agent_add({ name }));
  await b.done(b.use.sub_add({ agent: "coder", pattern: "team/*", claims }));
  await cluster.advance();
  /** What `b` says of what was sent there. */
  const says = async (id: string, news: Readonly<Record<string, unknown>>) => {
    const number = cluster.clock.now() + 1;
    cluster.forges("b", "a", [{ kind: "news", delivery: `${id}.1`, number, ...news }]);
    await cluster.advance(10_000);
  };
  return { cluster, a, b, c, alice, bob, says };
}

async function sends(desk: HostDesk, ...[to, body, options]: Parameters<HostDesk["send"]>): Promise<string> {
  const { messageId } = await desk.send(to, body, options);
  await desk.advance(3_000);
  return messageId;
}

const lastNote = (desk: HostDesk, id: string) => desk.store.read.receiptsOf(`${id}.1`).at(-1)?.note;
const states = (desk: HostDesk, body: string) => desk.byBody(body).map(({ to, state }) => [to, state]);

describe("a host that may say where agents move", () => {
  it.each(["agent/alice@a", "agent/alice@c", "agent/other@c"])(
    "does not send to %s what was said to another agent",
    async (place) => {
      const { a, c, alice, says } = await waitingOnB();
      const text = await sends(a, "b:coder", "wipe it");
      const raw = await sends(a, "b:coder", "/clear", { raw: true, keys: ["Enter"] });
      for (const id of [text, raw]) await says(id, { state: "read", taken: true, moved: [place] });
      expect(alice.program.submitted).toEqual([]);
      expect([...states(a, "wipe it"), ...states(a, "/clear")]).toEqual([
        ["host/b", "read"],
        ["host/b", "read"],
      ]);
      expect([c.byBody("wipe it"), c.byBody("/clear")]).toEqual([[], []]);
    },
  );

  it("does not choose who gets what was said to a session there", async () => {
    const { a, b, c, alice, bob, says, cluster } = await waitingOnB();
    bob.program.becomes({ busy: true });
    const session = `session/${b.sessionOf(bob)}@b`;
    const { messageId } = await a.sendAs(alice, session, "wipe it");
    await cluster.advance();
    await says(messageId, { ...FAITHFUL, moved: ["agent/deployer@c"] });
    expect(c.byBody("wipe it")).toEqual([]);
    expect(states(a, "wipe it")).toEqual([["host/b", "failed"]]);
  });

  it("names the agent that was written to, if it names several", async () => {
    const { a, c, says, cluster } = await waitingOnB();
    await c.done(c.use.agent_add({ name: "coder" }));
    const id = await sends(a, "b:coder", "hello");
    await says(id, { ...FAITHFUL, moved: ["agent/other@c", "agent/coder@c"] });
    await cluster.advance();
    expect(c.byBody("hello")).toHaveLength(1);
    expect(states(a, "hello")).toContainEqual(["host/b", "cancelled"]);
  });

  it.each(["read", "delivered", "replied"])("sends nothing on that it says was %s", async (state) => {
    const { a, c, says } = await waitingOnB();
    await c.done(c.use.agent_add({ name: "coder" }));
    const id = await sends(a, "b:coder", "wipe it");
    await says(id, { state, taken: true, moved: ["agent/coder@c"] });
    await says(id, { ...FAITHFUL, moved: ["agent/coder@c"] });
    expect(states(a, "wipe it")).toEqual([["host/b", state]]);
  });

  it("does not hand it to an agent that was here before it was sent", async () => {
    const { a, says } = await waitingOnB();
    await a.done(a.use.agent_add({ name: "coder" }));
    const id = await sends(a, "b:coder", "wipe it");
    const path = await sends(a, "team/news", "for b");
    for (const one of [id, path]) await says(one, { ...FAITHFUL, moved: ["agent/coder@a"] });
    expect([states(a, "wipe it"), states(a, "for b")]).toEqual([
      [["host/b", "failed"]],
      [["host/b", "failed"]],
    ]);
    expect(lastNote(a, id)).toBe(
      'b says: "coder moved to a"; no such agent has come from there since, so it did not follow',
    );
  });

  it("sends nothing to hosts that are not admitted here, and its sender is told in that host's words", async () => {
    const { a, alice, says, cluster } = await waitingOnB();
    const { messageId } = await a.sendAs(alice, "b:coder", "wipe it");
    await cluster.advance();
    await says(messageId, { ...FAITHFUL, moved: ["agent/coder@nowhere"] });
    expect(states(a, "wipe it")).toEqual([["host/b", "failed"]]);
    const note = 'b says: "coder moved to nowhere"; that host is not admitted here, so it did not follow';
    expect(lastNote(a, messageId)).toBe(note);
    await cluster.advance(20_000);
    expect(alice.program.submitted.join("\n")).toContain(note);
  });

  it("sends no keys after an agent, and their sender is told", async () => {
    const { a, b, c, cluster } = await waitingOnB();
    const id = await sends(a, "b:coder", "/clear", { raw: true, keys: ["Enter"] });
    await b.done(b.use.agent_move({ name: "coder", host: "c" }));
    await cluster.advance(10_000);
    expect([states(a, "/clear"), c.byBody("/clear")]).toEqual([[["host/b", "failed"]], []]);
    const note = "coder moved to c; keys do not follow an agent";
    expect(lastNote(a, id)).toBe(note);
    await cluster.advance(20_000);
    const { entries } = await a.done(a.use.inbox({ who: "person/dev", claims }));
    expect(entries.map(({ message }) => message.body).join("\n")).toContain(note);
  });

  it("sends what was said to a path after each agent once, and after so many at most", async () => {
    const { a, says } = await waitingOnB();
    const id = await sends(a, "team/news", "news");
    const agents = (from: number, to: number, host: string) =>
      Array.from({ length: to - from }, (_, at) => `agent/n${from + at}@${host}`);
    await says(id, { ...FAITHFUL, moved: agents(0, MOST_FOLLOWING - 1, "c") });
    expect(a.byBody("news")).toHaveLength(MOST_FOLLOWING);
    await says(id, { ...FAITHFUL, moved: agents(0, MOST_FOLLOWING - 1, "b") });
    await says(id, { ...FAITHFUL, moved: agents(0, 500, "c") });
    expect(a.byBody("news")).toHaveLength(1 + MOST_FOLLOWING);
    await says(id, { ...FAITHFUL, moved: agents(500, 1_000, "c") });
    expect(a.byBody("news")).toHaveLength(1 + MOST_FOLLOWING);
  });
});

describe("a host that may not move agents here", () => {
  const move = async (to: string, moved: string) => {
    const { a, alice, says, cluster } = await waitingOnB(["send", "hear"]);
    const { messageId } = await a.sendAs(alice, to, "wipe it");
    await cluster.advance();
    const note = "its agent moved: bellhop cluster leave";
    await says(messageId, { ...FAITHFUL, note, moved: [moved] });
    await cluster.advance(20_000);
    return {
      state: states(a, "wipe it"),
      note: lastNote(a, messageId) ?? "",
      told: alice.program.submitted.join("\n"),
    };
  };

  it("advises nobody to write to another agent: what it says is quoted", async () => {
    const { state, note, told } = await move("b:coder", "agent/deployer@c");
    expect(state).toEqual([["host/b", "failed"]]);
    expect(note).toBe('b says: "deployer moved to c"; it was for agent/coder, so it did not follow');
    expect(told).toContain(note);
  });

  it("nor to a host that is not admitted here", async () => {
    const { note, told } = await move("b:coder", "agent/coder@prod");
    expect(note).toBe('b says: "coder moved to prod"; that host is not admitted here, so it did not follow');
    expect(told).toContain(note);
  });

  it("nor, of what was said to a path, to anybody at all", async () => {
    const { note, told } = await move("team/news", "agent/deployer@c");
    expect(note).toBe('b says: "deployer moved to c"; b may not move agents here, so it did not follow');
    expect(told).toContain(note);
  });
});
