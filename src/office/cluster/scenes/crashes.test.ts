import { describe, expect, it } from "vitest";
import { taken } from "../../../../tests/desk/broker-verbs.ts";
import { aliceAndBob, type HostDesk } from "../../../../tests/desk/host-desks.ts";
import { STEPS, type Step } from "../../base/steps.ts";

const CLUSTER_STEPS = STEPS.filter((step) => step.startsWith("cluster."));
const SENDING: readonly Step[] = ["cluster.marked", "cluster.stored", "cluster.heeded"];

async function restarted(desk: HostDesk): Promise<void> {
  expect(desk.crashed).toBe(true);
  await desk.advance(1_000);
  await desk.open();
  await desk.advance(20_000);
}

describe("a crash of a host in a cluster", () => {
  for (const step of CLUSTER_STEPS) {
    it(`at ${step} loses nothing and delivers nothing twice`, async () => {
      const { cluster, a, b, alice, bob } = await aliceAndBob();
      const doomed = SENDING.includes(step) ? a : b;
      doomed.crashAt(step);
      const sent = await a.sendAs(alice, "b:bob", "hello");
      await cluster.advance(5_000);
      await restarted(doomed);
      expect(bob.program.submitted).toEqual([expect.stringContaining("hello")]);
      expect(b.byBody("hello")).toMatchObject([{ state: "delivered", possibleDuplicate: false }]);
      expect(a.delivery(sent)).toMatchObject({ state: "delivered", evidence: "screen" });
      expect(a.store.read.sentLetter(a.delivery(sent).id)).toMatchObject({ isOver: false });
      const answer = await b.sendAs(bob, "a:alice", "and back");
      await cluster.advance(5_000);
      expect(a.state(sent)).toBe("replied");
      expect(b.state(answer)).toBe("delivered");
      expect(alice.program.submitted).toHaveLength(1);
    });

    it(`at ${step} of both, one after the other, with several letters, keeps their order`, async () => {
      const { cluster, a, b, alice, bob } = await aliceAndBob();
      bob.program.becomes({ busy: true });
      for (const desk of [a, b]) desk.crashAt(step);
      const bodies = ["one", "two", "three", "four"];
      for (const body of bodies) {
        if (a.crashed) await restarted(a);
        if (b.crashed) await restarted(b);
        await a.sendAs(alice, "b:bob", body).catch(() => undefined);
        await cluster.advance(500);
      }
      if (a.crashed) await restarted(a);
      if (b.crashed) await restarted(b);
      bob.program.becomes({ busy: false });
      await cluster.advance(30_000);
      const said = bob.program.submitted.join("\n").match(/one|two|three|four/gu);
      expect(said).toEqual(bodies);
      for (const body of bodies) expect(a.byBody(body)).toMatchObject([{ state: "delivered" }]);
    });
  }

  it("after news were stored, and before that was written down, does not hide what came after", async () => {
    const { cluster, a, b, alice } = await aliceAndBob();
    await b.use.agent_add({ name: "box" });
    b.crashAt("cluster.stored");
    const sent = await a.sendAs(alice, "agent/box@b", "hello");
    await cluster.advance();
    expect(b.crashed).toBe(true);
    expect(a.delivery(sent).hold?.release).toMatch(/^b has it/u);
    await b.open();
    // Before anything is told: these news have the number of those that it forgot.
    expect(await taken(b, "box")).toEqual(["hello"]);
    await cluster.advance(10_000);
    expect(a.state(sent)).toBe("delivered");
  });

  it("all of them are visited", async () => {
    const { cluster, a, b, alice } = await aliceAndBob();
    await a.sendAs(alice, "b:bob", "hello");
    await cluster.advance(5_000);
    expect(CLUSTER_STEPS.filter((step) => ![...a.visited, ...b.visited].includes(step))).toEqual([]);
  });
});

describe("an engine that is not to be trusted", () => {
  it("may lose an answer: what was stored comes twice, and is taken once", async () => {
    const { cluster, a, alice, bob } = await aliceAndBob();
    cluster.hub.loseAnswers();
    const sent = await a.sendAs(alice, "b:bob", "hello");
    await cluster.advance(20_000);
    expect(bob.program.submitted).toHaveLength(1);
    expect(a.state(sent)).toBe("delivered");
    expect(a.store.read.sentLetter(a.delivery(sent).id)).toMatchObject({ attempts: 1 });
  });

  it("may lose its answer while the letter waits there: its news show that it has come", async () => {
    const { cluster, a, alice, bob } = await aliceAndBob();
    bob.program.becomes({ busy: true });
    cluster.hub.loseAnswers();
    const sent = await a.sendAs(alice, "b:bob", "hello");
    await cluster.advance(20_000);
    expect(a.store.read.sentLetter(a.delivery(sent).id)).toMatchObject({
      ...{ attempts: 1, storedAt: expect.any(Number) },
    });
    a.warnings.length = 0;
  });

  it("may lose news on their way: they are told again", async () => {
    const { cluster, a, b, alice } = await aliceAndBob();
    await b.use.agent_add({ name: "box" });
    let left = 1;
    b.onStep((step) => {
      if (step !== "cluster.marked" || left === 0) return;
      left -= 1;
      cluster.hub.loseBags();
    });
    const sent = await a.sendAs(alice, "agent/box@b", "hello");
    await cluster.advance(20_000);
    expect(b.warnings).toEqual(["cluster.not_stored"]);
    expect(a.delivery(sent).hold?.release).toMatch(/^b has it: offline/u);
    b.warnings.length = 0;
  });

  it("may lose a bag: it goes again, and before what is behind it", async () => {
    const { cluster, a, alice, bob } = await aliceAndBob();
    bob.program.becomes({ busy: true });
    cluster.hub.loseBags();
    const first = await a.sendAs(alice, "b:bob", "first");
    const second = await a.sendAs(alice, "b:bob", "second");
    await cluster.advance(1_000);
    expect([a.state(first), a.state(second)]).toEqual(["delivering", "queued"]);
    await cluster.advance(20_000);
    bob.program.becomes({ busy: false });
    await cluster.advance(10_000);
    expect(bob.program.submitted.join("\n").match(/first|second/gu)).toEqual(["first", "second"]);
    expect(a.warnings).toEqual(["cluster.not_stored"]);
    a.warnings.length = 0;
  });

  it("says meanwhile that it may be on its way already", async () => {
    const { cluster, a, alice } = await aliceAndBob();
    cluster.hub.loseBags(3);
    const sent = await a.sendAs(alice, "b:bob", "hello");
    await cluster.advance(6_000);
    expect(a.delivery(sent)).toMatchObject({
      ...{ state: "delivering", attempts: 1, hold: { reason: "offline" } },
    });
    expect(a.delivery(sent).hold?.release).toBe(
      "when NATS answers: NATS did not answer within 5 s (it may be on its way already)",
    );
    await cluster.advance(60_000);
    expect(a.state(sent)).toBe("delivered");
    a.warnings.length = 0;
  });

  it("may hand out a bag twice", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    cluster.hub.repeat("b", 3);
    cluster.hub.repeat("a", 3);
    const sent = await a.sendAs(alice, "b:bob", "hello");
    await cluster.advance(30_000);
    expect(bob.program.submitted).toHaveLength(1);
    expect(b.byBody("hello")).toHaveLength(1);
    expect(a.state(sent)).toBe("delivered");
  });

  it("may forget what it stored: the other host is asked, and gets it", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    b.crash();
    const sent = await a.sendAs(alice, "b:bob", "hello");
    await cluster.advance();
    cluster.hub.wipe("b");
    await b.ready();
    await cluster.advance(60_000);
    expect(bob.program.submitted).toEqual([]);
    await cluster.advance(240_000);
    expect(bob.program.submitted).toHaveLength(1);
    expect(a.state(sent)).toBe("delivered");
  });

  it("may lose news: they are asked for after the next start", async () => {
    const { cluster, a, alice, bob } = await aliceAndBob();
    bob.program.becomes({ busy: true });
    const sent = await a.sendAs(alice, "b:bob", "hello");
    await cluster.advance();
    a.crash();
    bob.program.becomes({ busy: false });
    await cluster.advance(10_000);
    expect(bob.program.submitted).toHaveLength(1);
    cluster.hub.wipe("a");
    await a.open();
    await cluster.advance(60_000);
    expect(a.state(sent)).toBe("delivered");
  });

  it("may take less than it should: then less goes at once", async () => {
    const { cluster, a, b, alice } = await aliceAndBob();
    cluster.hub.goDown();
    const body = "x".repeat(100_000);
    for (let at = 0; at < 8; at += 1) await a.sendAs(alice, "b:bob", `${at} ${body}`, { priority: "idle" });
    cluster.hub.largestBytes = 250_000;
    cluster.hub.comeUp();
    await cluster.advance(60_000);
    const came = b.store.read.itemsAfter(undefined, 0, 100).map(({ message }) => message.body[0]);
    expect(came).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
    a.warnings.length = 0;
  });

  it("a full disk takes nothing in, and loses nothing", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    b.disk.state = "full";
    const sent = await a.sendAs(alice, "b:bob", "hello");
    await cluster.advance(10_000);
    expect(a.state(sent)).toBe("delivering");
    expect(cluster.hub.waiting("b").length).toBeGreaterThan(0);
    b.disk.state = "works";
    await cluster.advance(10_000);
    expect(a.state(sent)).toBe("delivered");
    expect(bob.program.submitted).toHaveLength(1);
    b.failures.length = 0;
  });
});
