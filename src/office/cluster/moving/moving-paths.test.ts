import { expect, it } from "vitest";
import { type HostDesk, openHosts } from "../../../../tests/desk/host-desks.ts";

const claims = { user: "dev" } as const;

async function hears(desk: HostDesk, name: string) {
  await desk.done(desk.use.agent_add({ name }));
  await desk.done(desk.use.sub_add({ agent: name, pattern: "team/*", claims }));
}

/** `coder` hears `team/*` on `a`, and `other` on `b`. `b` has taken `coder`, and `a`, which is cut off, has not heard of it. */
async function onBoth() {
  const { cluster, desks } = await openHosts("a", "b", "c");
  const [a, b, c] = desks;
  const [alice, bob, carol] = [a.agent("alice"), b.agent("bob"), c.agent("carol")];
  await cluster.ready(["send", "hear", "move", "urgent"]);
  await hears(a, "coder");
  await hears(b, "other");
  await cluster.advance();
  b.crash();
  const moving = a.use.agent_move({ name: "coder", host: "b", timeoutMs: 5_000 }).catch(() => "undecided");
  await cluster.advance(1_000);
  return { cluster, a, b, c, alice, bob, carol, moving };
}

/** What waits for it on `b`; without the notice of its move. */
async function waiting(b: HostDesk): Promise<readonly string[]> {
  const { entries } = await b.done(b.use.inbox({ who: "coder", claims }));
  return entries.map(({ message }) => message.body).filter((body) => !body.includes("moved here"));
}

async function takenUnheard(hosts: Awaited<ReturnType<typeof onBoth>>) {
  const { cluster, a, b, moving } = hosts;
  cluster.hub.cutOff("a");
  await b.open();
  await b.done(b.use.ls({}));
  await cluster.advance(15_000);
  expect(await moving).toBe("undecided");
  expect([a, b].map((desk) => desk.store.read.agent("coder") !== undefined)).toEqual([true, true]);
}

it("what is said to a path on the old host while an agent moves reaches it once", async () => {
  const hosts = await onBoth();
  const { cluster, a, b, alice } = hosts;
  await takenUnheard(hosts);
  await a.sendAs(alice, "team/news", "plum");
  cluster.hub.rejoin("a");
  await cluster.advance(200_000);
  expect(a.store.read.agent("coder")).toBeUndefined();
  expect(await waiting(b)).toEqual(["plum"]);
});

it("what was urgent may have been faster than the agent: it follows, and says that it may come twice", async () => {
  const hosts = await onBoth();
  const { cluster, a, b, alice } = hosts;
  await takenUnheard(hosts);
  await a.sendAs(alice, "team/news", "plum", { priority: "interrupt" });
  cluster.hub.rejoin("a");
  await cluster.advance(200_000);
  const marks = b.byBody("plum").filter(({ to }) => to === "agent/coder");
  expect(marks.map(({ possibleDuplicate }) => possibleDuplicate)).toEqual([false, true]);
});

it("what is said to a path on the new host meanwhile reaches it once", async () => {
  const hosts = await onBoth();
  const { cluster, b, bob } = hosts;
  await takenUnheard(hosts);
  await b.sendAs(bob, "team/news", "berry");
  cluster.hub.rejoin("a");
  await cluster.advance(200_000);
  expect(await waiting(b)).toEqual(["berry"]);
});

it("what a third host says to both says that it may come twice", async () => {
  const hosts = await onBoth();
  const { cluster, b, c, carol } = hosts;
  await takenUnheard(hosts);
  await c.sendAs(carol, "team/news", "cherry");
  cluster.hub.rejoin("a");
  await cluster.advance(200_000);
  const marks = b.byBody("cherry").filter(({ to }) => to === "agent/coder");
  expect(marks.map(({ possibleDuplicate }) => possibleDuplicate)).toEqual([false, true]);
});
