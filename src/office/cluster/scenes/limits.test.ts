import { describe, expect, it } from "vitest";
import { aliceAndBob, type DeskCluster, openHosts } from "../../../../tests/desk/host-desks.ts";
import { MOST_REFUSED } from "../taking/refusing.ts";

const claims = { user: "dev" } as const;
const idOf = (number: number) => `0000abcd-0000-4000-8000-${String(number).padStart(12, "0")}`;
const withdrawal = (number: number) => ({ kind: "withdrawal", delivery: `${idOf(number)}.1`, because: "" });

function letter(number: number, to: string) {
  const id = idOf(number);
  return {
    ...{ kind: "letter", delivery: `${id}.1` },
    message: {
      ...{ id, shortId: `z${String(number).padStart(5, "0")}`, from: "agent/mallory@a", to, body: "hi" },
      ...{ form: { kind: "text" }, priority: "normal", source: "agent", hops: 0 },
    },
  };
}

/** How many bags `b` sends because of this one. */
async function answers(cluster: DeskCluster, parcels: readonly unknown[]): Promise<number> {
  cluster.forges("a", "b", parcels);
  const before = cluster.hub.stored;
  await cluster.advance();
  return cluster.hub.stored - before;
}

describe("what another host can fill", () => {
  it.each([
    "agent/**",
    "agent/*",
    "session/*",
    "person/**",
    "**",
    "*/bob",
    "bellhop/*",
    "session/*@b",
    "/agent/**/",
  ])("it reaches nobody by writing to %s", async (to) => {
    const { cluster, b, bob } = await aliceAndBob();
    await b.done(b.use.sub_add({ agent: "bob", pattern: "**", claims }));
    cluster.forges("a", "b", [letter(1, to)]);
    await cluster.advance();
    expect(b.store.read.takenLetter("a", `${idOf(1)}.1`)?.refusal).toBe(
      `a may not write to all at once (${to})`,
    );
    expect(bob.program.submitted).toEqual([]);
  });

  it("whoever subscribes is reached by a pattern, as from here", async () => {
    const { cluster, b, bob } = await aliceAndBob();
    await b.done(b.use.sub_add({ agent: "bob", pattern: "team/news", claims }));
    cluster.forges("a", "b", [letter(1, "team/*")]);
    await cluster.advance();
    expect(bob.program.submitted).toHaveLength(1);
  });

  it("a host that may not send leaves nothing by taking back what never came", async () => {
    const { cluster, b } = await aliceAndBob();
    b.admits("a", ["hear"]);
    expect(await answers(cluster, [withdrawal(1), withdrawal(2)])).toBe(1);
    expect(b.store.read.takenLetters({ limit: 10 })).toEqual([]);
    b.admits("a", ["send"]);
    expect(await answers(cluster, [withdrawal(1)])).toBe(1);
    expect(b.store.read.takenLetter("a", `${idOf(1)}.1`)).toBeDefined();
  });

  it("and what came before its right was taken from it can still be taken back", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    bob.program.becomes({ busy: true });
    const sent = await a.sendAs(alice, "b:bob", "hello", { priority: "idle" });
    await cluster.advance();
    b.admits("a", []);
    await a.done(a.use.queue_change({ id: sent.messageId, change: "cancel" }));
    await cluster.advance();
    expect(b.byBody("hello")).toMatchObject([{ state: "cancelled" }]);
    expect(a.state(sent)).toBe("cancelled");
  });

  it("of what was refused or taken back, so much is known of each host; the oldest goes first", async () => {
    const { cluster, desks } = await openHosts("a", "b", "c");
    const [, b] = desks;
    b.agent("bob");
    await cluster.ready();
    const refused = { takenAt: b.clock.now(), refusal: "no", told: 1, isOver: true };
    await b.store.write((tx) => {
      tx.putTakenLetter({ ...refused, host: "c", delivery: `${idOf(0)}.1` });
      for (let number = 0; number < MOST_REFUSED; number += 1)
        tx.putTakenLetter({ ...refused, host: "a", delivery: `${idOf(number)}.1` });
    });
    const isKnown = (number: number, host = "a") =>
      b.store.read.takenLetter(host, `${idOf(number)}.1`) !== undefined;
    cluster.forges("a", "b", [
      withdrawal(20_000),
      letter(20_001, "agent/nobody"),
      letter(20_002, "agent/bob"),
    ]);
    await cluster.advance();
    expect([0, 1, 2, 20_000, 20_001, 20_002].map((number) => isKnown(number))).toEqual([
      ...[false, false, true],
      ...[true, true, true],
    ]);
    expect(isKnown(0, "c")).toBe(true);
  });
});
