import { describe, expect, it } from "vitest";
import { type HostDesk, openHosts } from "../../../../tests/desk/host-desks.ts";
import { STEPS } from "../../base/steps.ts";

const claims = { user: "dev" } as const;
const CLUSTER_STEPS = STEPS.filter((step) => step.startsWith("cluster.") || step === "accept.committed");
const SAID = /apple|berry|cherry|plum/gu;

/** `coder` of `a`, which does not run, has mail from all three hosts. */
async function withMail() {
  const { cluster, desks } = await openHosts("a", "b", "c");
  const [a, b, c] = desks;
  const [alice, bob, carol] = [a.agent("alice"), b.agent("bob"), c.agent("carol")];
  await cluster.ready(["send", "hear", "move"]);
  await a.done(a.use.agent_add({ name: "coder" }));
  await a.done(a.use.sub_add({ agent: "coder", pattern: "team/*", claims }));
  await cluster.advance();
  await c.sendAs(carol, "a:coder", "cherry");
  await b.sendAs(bob, "a:coder", "berry");
  await cluster.advance();
  await a.sendAs(alice, "coder", "apple");
  await a.sendAs(alice, "team/news", "plum");
  return { cluster, a, b, c };
}

const has = (desk: HostDesk) => [
  desk.store.read.agent("coder") !== undefined,
  desk.store.read.subscriptions().length,
];

describe("a crash while an agent moves to another host", () => {
  for (const step of CLUSTER_STEPS)
    for (const index of [0, 1, 2])
      it(`of ${"abc"[index]} at ${step} leaves it on one host, with its mail once`, async () => {
        const { cluster, a, b, c } = await withMail();
        const doomed = [a, b, c][index] ?? a;
        doomed.crashAt(step);
        const moving = a.use.agent_move({ name: "coder", host: "b" }).catch(() => undefined);
        await cluster.advance(30_000);
        if (doomed.crashed) await doomed.open();
        await cluster.advance(60_000);
        void moving;
        const there = has(b)[0] === true ? b : a;
        // It died before the move was written down.
        if (there === a) await a.done(a.use.agent_move({ name: "coder", host: "b" }));
        await cluster.advance(300_000);
        expect([has(a), has(b)]).toEqual([
          [false, 0],
          [true, 1],
        ]);
        const coder = b.agent("work");
        await b.done(b.use.ls({}));
        await b.done(b.use.name({ who: "work", name: "coder", claims }));
        await cluster.advance(30_000);
        const said: readonly string[] = coder.program.submitted.join("\n").match(SAID) ?? [];
        expect(said.toSorted()).toEqual(["apple", "berry", "cherry", "plum"]);
        expect(said.indexOf("apple")).toBeLessThan(said.indexOf("plum"));
      });

  it("of the host that it leaves, while the other one is not heard, is no obstacle", async () => {
    const { cluster, a, b } = await withMail();
    b.crash();
    const moving = a.use.agent_move({ name: "coder", host: "b", timeoutMs: 5_000 }).catch(() => "stays");
    await cluster.advance(1_000);
    cluster.hub.cutOff("a");
    await b.open();
    await cluster.advance(15_000);
    expect([await moving, has(a), has(b)]).toEqual(["stays", [true, 1], [true, 1]]);
    a.crash();
    await a.open();
    await expect(a.done(a.use.agent_move({ name: "coder", host: "b" }))).rejects.toMatchObject({
      code: "wait.timed_out",
    });
    cluster.hub.rejoin("a");
    await cluster.advance(200_000);
    expect([has(a), has(b)]).toEqual([
      [false, 0],
      [true, 1],
    ]);
    expect(b.byBody("apple")).toMatchObject([{ to: "agent/coder", state: "queued" }]);
  });
});
