import { describe, expect, it } from "vitest";
import { aliceAndBob, openHosts } from "../../../../tests/desk/host-desks.ts";

describe("a message for somebody on another host", () => {
  it("is typed there, under the same id, and its sender learns how it was proven", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    const sent = await a.sendAs(alice, "b:bob", "hello");
    expect(sent).toMatchObject({ unmatched: false, deliveries: [{ to: "host/b" }] });
    await cluster.advance();
    expect(bob.program.submitted).toEqual([
      `[message from: a:alice #${sent.shortId}] hello — from agent "a:alice". To reply: bellhop send a:alice "<your reply>"`,
    ]);
    expect(a.delivery(sent)).toMatchObject({ state: "delivered", transport: "host", evidence: "screen" });
    expect(a.lastNote(sent)).toBe("on b");
    expect(b.store.read.message(sent.messageId)).toMatchObject({
      ...{ shortId: sent.shortId, from: "agent/alice@a", to: "agent/bob", source: "agent" },
    });
    expect(b.store.read.deliveriesOf(sent.messageId)).toMatchObject([
      { to: "agent/bob", state: "delivered" },
    ]);
  });

  it("is answered like one from here: both sides say so", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    const sent = await a.sendAs(alice, "b:bob", "how far are you?");
    await cluster.advance();
    const answer = await b.sendAs(bob, "a:alice", "nearly there");
    expect(answer).toMatchObject({ replyTo: sent.messageId, bound: "implicit" });
    await cluster.advance();
    expect(a.state(sent)).toBe("replied");
    expect(a.store.read.answerTo(sent.messageId)).toMatchObject({
      ...{ id: answer.messageId, from: "agent/bob@b", hops: 1 },
    });
    expect(alice.program.submitted).toEqual([expect.stringContaining("nearly there")]);
    expect(b.state(answer)).toBe("delivered");
  });

  it("an answer goes to the session that asked, while it lives", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    const sent = await a.sendAs(alice, "b:bob", "well?");
    await cluster.advance();
    const request = { id: sent.messageId, body: "well", claims: claimsOf(bob) };
    const answer = await b.done(b.use.reply(request));
    await cluster.advance();
    expect(a.store.read.message(answer.messageId)?.to).toBe(`session/${a.sessionOf(alice)}`);
  });

  it("says where it is and why it waits there", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    bob.program.becomes({ busy: true });
    const sent = await a.sendAs(alice, "b:bob", "when you have time");
    await cluster.advance();
    expect(a.state(sent)).toBe("delivering");
    const { deliveries } = await a.use.show({ id: sent.messageId });
    expect(deliveries).toMatchObject([
      { to: "host/b", state: "delivering", transport: "host", hold: { reason: "busy" } },
    ]);
    expect(deliveries[0]?.hold?.release).toMatch(/^b has it: busy, "when /u);
    const { deliveries: explained } = await a.use.explain({ id: sent.messageId });
    expect(explained[0]?.because).toEqual([
      expect.stringMatching(/^It is on its way to b: b has it: busy, "when /u),
    ]);
    expect((await a.use.queue({})).deliveries).toMatchObject([{ to: "host/b", hold: { reason: "busy" } }]);
    expect((await b.use.show({ id: sent.messageId })).message.from).toBe("agent/alice@a");
    bob.program.becomes({ busy: false });
    await cluster.advance(5_000);
    expect(a.state(sent)).toBe("delivered");
    expect((await a.use.show({ id: sent.messageId })).deliveries[0]?.hold).toBeUndefined();
  });

  it("waits here while the engine is down, says why, and goes when it is up", async () => {
    const { cluster, a, alice, bob } = await aliceAndBob();
    cluster.hub.goDown("connection refused");
    const sent = await a.sendAs(alice, "b:bob", "later");
    await cluster.advance();
    expect(a.delivery(sent)).toMatchObject({
      ...{ state: "queued", attempts: 0 },
      hold: { reason: "offline", release: "when NATS can be reached: connection refused" },
    });
    const { deliveries } = await a.use.explain({ id: sent.messageId });
    expect(deliveries[0]?.because).toEqual([
      "It is held (offline) and goes out when NATS can be reached: connection refused.",
      "It is for somebody on b, and still here.",
    ]);
    cluster.hub.comeUp();
    await cluster.advance();
    expect(a.state(sent)).toBe("delivered");
    expect(bob.program.submitted).toHaveLength(1);
  });

  it("waits in the engine while the other host is away", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    b.crash();
    const sent = await a.sendAs(alice, "b:bob", "good morning");
    await cluster.advance();
    expect(a.delivery(sent)).toMatchObject({
      ...{ state: "delivering", hold: { reason: "offline", release: "when b takes it: NATS has it" } },
    });
    await b.ready();
    await cluster.advance();
    expect(a.state(sent)).toBe("delivered");
    expect(bob.program.submitted).toHaveLength(1);
  });

  it("fails with the words of the other host if nobody has that name there", async () => {
    const { cluster, a, b, alice } = await aliceAndBob();
    cluster.hub.cutOff("a");
    const sent = await a.sendAs(alice, "agent/nobody@b", "anyone?", { notifyOnDelivery: true });
    cluster.hub.rejoin("a");
    await cluster.advance();
    expect(a.state(sent)).toBe("failed");
    expect(a.lastNote(sent)).toBe('on b: "Nobody takes it: nobody has this address"');
    expect(b.store.read.message(sent.messageId)).toBeUndefined();
    expect(alice.program.submitted).toEqual([
      expect.stringContaining("[bellhop] Message to b:nobody could not be delivered"),
    ]);
  });

  it("tells a sender who asked for it that it was delivered, and reminds them", async () => {
    const { cluster, a, alice } = await aliceAndBob();
    await a.sendAs(alice, "b:bob", "look at this", { notifyOnDelivery: true, notifyAfterMs: 60_000 });
    await cluster.advance(6_000);
    expect(alice.program.submitted).toEqual([
      expect.stringContaining("[bellhop] Message delivered to b:bob"),
    ]);
    await cluster.advance(60_000);
    expect(alice.program.submitted.at(-1)).toContain("1m since your message to b:bob was delivered");
  });

  it("reaches everybody who hears its path, once on each host, and is forwarded no further", async () => {
    const { cluster, desks } = await openHosts("a", "b", "c");
    const [a, b, c] = desks;
    const alice = a.agent("alice");
    const [bob, ben] = [b.agent("bob"), b.agent("ben")];
    const carol = c.agent("carol");
    await cluster.ready();
    for (const [desk, agent] of [
      [b, "bob"],
      [b, "ben"],
      [c, "carol"],
      [a, "alice"],
    ] as const)
      await desk.done(desk.use.sub_add({ agent, pattern: "builds/**", claims: { user: "dev" } }));
    await cluster.advance(35_000);
    const sent = await a.send("builds/api", "green");
    await cluster.advance(6_000);
    for (const { program } of [alice, bob, ben, carol])
      expect(program.submitted).toEqual([expect.stringContaining("green")]);
    expect(a.store.read.deliveriesOf(sent.messageId)).toMatchObject([
      { to: "agent/alice", state: "delivered" },
      { to: "host/b", state: "delivered" },
      { to: "host/c", state: "delivered" },
    ]);
    expect(b.store.read.deliveriesOf(sent.messageId).map(({ to }) => to)).toEqual(["agent/ben", "agent/bob"]);
  });

  it("keeps its order: by priority, and within one by age; the newest first where that is asked for", async () => {
    const { cluster, a, b, alice, bob } = await aliceAndBob();
    bob.program.becomes({ busy: true });
    cluster.hub.goDown();
    for (let number = 1; number <= 3; number += 1) {
      await a.sendAs(alice, "b:bob", `idle ${number}`, { priority: "idle" });
      await a.sendAs(alice, "b:bob", `newest ${number}`, { priority: "idle-first" });
      await a.sendAs(alice, "b:bob", `normal ${number}`);
    }
    cluster.hub.comeUp();
    await cluster.advance();
    bob.program.becomes({ busy: false });
    await cluster.advance(30_000);
    const words = bob.program.submitted.join("\n").match(/(?:idle|newest|normal) \d/gu);
    expect(words).toEqual([
      ...["normal 1", "normal 2", "normal 3", "newest 3", "newest 2", "newest 1"],
      ...["idle 1", "idle 2", "idle 3"],
    ]);
    expect(b.store.read.countQueued()).toBe(0);
  });

  it("goes in several bags if it is much, and arrives whole", async () => {
    const { cluster, a, b, alice } = await aliceAndBob();
    cluster.hub.goDown();
    const sends = Array.from({ length: 250 }, (_, at) =>
      a.use.send({ ...plain(alice), body: `number ${at}` }),
    );
    await a.done(Promise.all(sends));
    cluster.hub.comeUp();
    await cluster.advance();
    const came = b.store.read
      .itemsAfter(undefined, 0, 1_000)
      .filter(({ delivery }) => delivery.to === "agent/bob");
    expect(came.map(({ message }) => message.body)).toEqual(sends.map((_, at) => `number ${at}`));
    expect(cluster.hub.stored).toBeLessThan(20);
  });

  it("of a person there is shown with the host, and says how to answer: they do not see this terminal", async () => {
    const { cluster, a, b, bob } = await aliceAndBob();
    const sent = await a.send("b:bob", "good morning");
    await cluster.advance();
    expect(bob.program.submitted).toEqual([
      `[message from: a:dev #${sent.shortId}] good morning — from person "a:dev". To reply: bellhop reply ${sent.shortId} "<your reply>"`,
    ]);
    const answer = await b.done(
      b.use.reply({ id: sent.messageId, body: "good morning", claims: claimsOf(bob) }),
    );
    await cluster.advance();
    expect(a.store.read.deliveriesOf(answer.messageId)).toMatchObject([
      { to: "person/dev", state: "queued" },
    ]);
    expect(a.state(sent)).toBe("replied");
    // It waits for its reader there, and that is no verdict to wait for.
    const waiting = b.use.verdict({ id: answer.messageId, timeoutMs: 60_000 });
    expect((await b.done(waiting, 5_000)).deliveries).toMatchObject([
      { state: "delivering", hold: { reason: "offline" } },
    ]);
  });

  it("that no bag can hold is refused here, and does not keep what is behind it", async () => {
    const { cluster, a, alice } = await aliceAndBob();
    const payload = { text: "x".repeat(800 * 1024) };
    const sent = await a.sendAs(alice, "b:bob", "much", { payload });
    const next = await a.sendAs(alice, "b:bob", "little");
    await cluster.advance();
    expect(a.state(sent)).toBe("failed");
    expect(a.lastNote(sent)).toMatch(/too large to travel: more than 768 KiB/u);
    expect(a.state(next)).toBe("delivered");
  });
});

function claimsOf({ sighting: { identity } }: { readonly sighting: { readonly identity: Pane } }) {
  return { user: "dev", tmux: { socket: identity.server, pane: identity.pane } };
}

function plain(agent: Parameters<typeof claimsOf>[0]) {
  return { to: "b:bob", claims: claimsOf(agent) };
}

interface Pane {
  readonly server: string;
  readonly pane: string;
}
