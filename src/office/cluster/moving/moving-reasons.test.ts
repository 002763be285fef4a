import { describe, expect, it } from "vitest";
import { openHosts } from "../../../../tests/desk/host-desks.ts";
import type { HostRight } from "../../../core/cluster/admission.ts";
import { DELIVERY_STATES } from "../../../core/message.ts";

const claims = { user: "dev" } as const;

async function twoHosts(rights: readonly HostRight[] = ["send", "hear", "move"]) {
  const { cluster, desks } = await openHosts("a", "b");
  const [a, b] = desks;
  await cluster.ready(rights);
  await a.done(a.use.agent_add({ name: "coder" }));
  return { cluster, a, b };
}

type Hosts = Awaited<ReturnType<typeof twoHosts>>;

/** `coder` of `a` moves to `b`, of which somebody else has the key: it says this, all in one bag. */
async function answered(...all: readonly Readonly<Record<string, unknown>>[]) {
  const { cluster, a, b } = await twoHosts();
  b.crash();
  const moving = a.use.agent_move({ name: "coder", host: "b", timeoutMs: 5_000 }).then(
    () => ({ code: "moved", message: "", next: "" }),
    (error: { readonly code: string; readonly message: string; readonly next: string }) => error,
  );
  await cluster.advance(1_000);
  const [delivery = ""] = a.store.read.agent("coder")?.moving ?? [];
  cluster.forges(
    ...(["b", "a"] as const),
    all.map((said, index) => ({ kind: "news", delivery, number: index + 1, ...said })),
  );
  await cluster.advance(15_000);
  const { code, message, next } = await moving;
  return { code, message, next, isHere: a.store.read.agent("coder") !== undefined };
}

describe("the words of another host", () => {
  const SAID = ["withdrawn before it came", "it came after its time", "it was not delivered (failed)"];

  it.each(SAID)("%s: do not keep an agent that it has taken", async (note) => {
    for (const state of ["cancelled", "expired"])
      expect(await answered({ state, note, taken: true })).toMatchObject({ code: "moved", isHere: false });
  });

  it("do not take away one that it has not taken", async () => {
    for (const why of ["withdrawn", "overdue"])
      expect(await answered({ state: "cancelled", note: "it is here", why })).toMatchObject({
        ...{ code: "wait.timed_out", isHere: true },
      });
    expect(await answered({ state: "failed", note: "it is here", why: "other" })).toMatchObject({
      ...{ code: "message.failed", isHere: true },
    });
  });

  it("do not choose what to do next", async () => {
    const note = 'a may not move agents here; "coder" is here already; declared in config.yaml';
    for (const why of ["other", "of a newer host"])
      expect(await answered({ state: "failed", note, why })).toMatchObject({
        ...{ code: "message.failed", isHere: true },
        next: 'See b: "bellhop cluster test b".',
      });
  });
});

describe("an agent of which the other host does not say that it has taken it", () => {
  it.each(DELIVERY_STATES)("stays here, if the move is %s there", async (state) => {
    expect(await answered({ state })).toMatchObject({ code: "wait.timed_out", isHere: true });
    expect(await answered({ state, taken: "perhaps" })).toMatchObject({ isHere: true });
    expect(await answered({ state, taken: true, why: "exists" })).toMatchObject({ isHere: true });
  });

  it("goes there all the same once it says so", async () => {
    const { cluster, a, b } = await twoHosts();
    b.crash();
    const moving = a.use.agent_move({ name: "coder", host: "b", timeoutMs: 15_000 });
    await cluster.advance(1_000);
    const [delivery = ""] = a.store.read.agent("coder")?.moving ?? [];
    cluster.forges("b", "a", [{ kind: "news", delivery, number: 1, state: "failed" }]);
    await cluster.advance(1_000);
    expect(a.store.read.findDelivery(delivery)?.state).toBe("delivering");
    await b.open();
    await cluster.advance(10_000);
    await moving;
    expect([a, b].map(({ store }) => store.read.agent("coder") !== undefined)).toEqual([false, true]);
  });
});

describe("a move that was not taken in time", () => {
  it("came too late, if the other host says so", async () => {
    expect(await answered({ state: "expired", why: "overdue" })).toMatchObject({
      message: 'It came to b after its time: "coder" stays here.',
      next: expect.stringContaining('compare the clocks: "bellhop cluster test b"'),
    });
  });

  it("was asked back, if the other host says so", async () => {
    expect(await answered({ state: "cancelled", why: "withdrawn" })).toMatchObject({
      message: 'b did not take "coder" in time, and gave the move back: it stays here.',
    });
  });
});

describe("what tells an agent of its move", () => {
  it("was taken, whatever is said after it was delivered", async () => {
    for (const state of ["failed", "cancelled", "expired"])
      expect(await answered({ state: "delivered", taken: true }, { state, why: "exists" })).toMatchObject({
        code: "moved",
        isHere: false,
      });
  });

  it("may come to nothing there: the agent moved all the same", async () => {
    expect(await answered({ state: "failed", note: "no way in", taken: true })).toMatchObject({
      ...{ code: "moved", isHere: false },
    });
  });
});

describe("an agent that another host does not take", () => {
  const namesake = async ({ b }: Hosts) => void (await b.done(b.use.agent_add({ name: "coder" })));
  const declared = async ({ b }: Hosts) =>
    b.done(b.office.declare([{ name: "coder", subscriptions: [], sessions: [] }]));
  const all = async ({ a }: Hosts) =>
    void (await a.done(a.use.sub_add({ agent: "coder", pattern: "**", claims })));

  it.each([
    ["exists", namesake, /is here already/u, /agent remove coder/u],
    ["declared", declared, /is declared/u, /^Remove it from the config\.yaml of b/u],
    ["subscription", all, /may not subscribe to \*\*/u, /sub list coder/u],
  ] as const)("stays, and the owner reads what to do (%s)", async (why, obstacle, words, next) => {
    const hosts = await twoHosts();
    await obstacle(hosts);
    const { a, b } = hosts;
    await expect(a.done(a.use.agent_move({ name: "coder", host: "b" }))).rejects.toMatchObject({
      ...{ message: expect.stringMatching(words), next: expect.stringMatching(next) },
    });
    const [delivery = ""] = a.store.read.agent("coder")?.moving ?? [];
    expect([a.store.read.sentLetter(delivery)?.why, b.store.read.takenLetter("a", delivery)?.why]).toEqual([
      why,
      why,
    ]);
  });

  it.each([
    ["", "send,move"],
    ["hear", "send,hear,move"],
    ["send,hear", "send,hear,move"],
  ])("stays if its host has only the rights (%s), and the owner reads what to type", async (has, wanted) => {
    const { a } = await twoHosts(has.split(",").filter((one) => one !== "") as HostRight[]);
    await expect(a.done(a.use.agent_move({ name: "coder", host: "b" }))).rejects.toMatchObject({
      message: `b did not take "coder", which stays here. It says: "a may not move agents here, on b: bellhop cluster admit a KEY --rights ${wanted}"`,
      next: expect.stringMatching(/^Let it, on b: /u),
    });
  });
});
