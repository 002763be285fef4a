import { describe, expect, it } from "vitest";
import {
  deliveries,
  deskWith,
  listen,
  OWNER,
  receive,
  route,
  subscribe,
  taken,
} from "../../../tests/desk/broker-verbs.ts";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";
import { loopReason, STANDARD_LOOP_LIMITS } from "../../core/routing/loop-breaker.ts";

async function lost(desk: Desk, ...bodies: readonly string[]) {
  const sent = [];
  for (const body of bodies) sent.push(await route(desk, `x/${body}`, { body }));
  return sent;
}

async function listed(desk: Desk, window = {}): Promise<readonly string[]> {
  return (await desk.use.unmatched(window)).messages.map(({ body }) => body);
}

describe("the dead letters", () => {
  it("are listed oldest first with their reasons, and of many the newest", async () => {
    const desk = await deskWith("a");
    await lost(desk, "one", "two", "three");
    await route(desk, "agent/nobody", { body: "four", from: "a", command: "go", payload: { n: 1 } });
    expect(await listed(desk)).toEqual(["one", "two", "three", "four"]);
    expect((await desk.use.unmatched({ limit: 1 })).messages).toEqual([
      {
        id: expect.any(String),
        shortId: expect.any(String),
        from: "a",
        path: "agent/nobody",
        command: "go",
        payload: { n: 1 },
        body: "four",
        status: "pending",
        timestamp: desk.clock.now(),
        source: "internal",
        externalId: null,
        reason: "nobody has this address",
      },
    ]);
    expect(await listed(desk, { limit: 2 })).toEqual(["three", "four"]);
  });

  it("are a hundred unless more are asked for", async () => {
    const desk = await deskWith();
    const sending = Array.from({ length: 105 }, (_, number) =>
      desk.use.route({ path: "x/y", body: `${number}`, claims: OWNER }),
    );
    await desk.done(Promise.all(sending));
    const short = await listed(desk);
    expect([short.length, short[0], short.at(-1)]).toEqual([100, "5", "104"]);
    expect(await listed(desk, { limit: 1_000 })).toHaveLength(105);
  });

  it("are cut by time: from a moment on, and before another", async () => {
    const desk = await deskWith();
    const times: number[] = [];
    for (const body of ["one", "two", "three"]) {
      times.push(desk.clock.now());
      await lost(desk, body);
      await desk.advance(1_000);
    }
    expect(await listed(desk, { fromTime: times[1] })).toEqual(["two", "three"]);
    expect(await listed(desk, { toTime: times[1] })).toEqual(["one"]);
    expect(await listed(desk, { fromTime: times[1], toTime: times[2], limit: 5 })).toEqual(["two"]);
  });

  it("outlive a restart", async () => {
    const desk = await deskWith();
    await lost(desk, "one");
    await desk.open();
    expect(await listed(desk)).toEqual(["one"]);
  });

  it("are forgotten when told to, and their messages stay", async () => {
    const desk = await deskWith();
    const [first] = await lost(desk, "one", "two");
    expect(await desk.use.unmatched_clear({})).toEqual({ cleared: 2 });
    expect(await desk.use.unmatched_clear({})).toEqual({ cleared: 0 });
    expect(await listed(desk)).toEqual([]);
    expect((await desk.use.show({ id: first?.messageId ?? "" })).message.body).toBe("one");
  });
});

describe("rerouting", () => {
  it("delivers those that somebody is there for now, oldest first, and leaves the rest", async () => {
    const desk = await deskWith("a");
    await lost(desk, "one", "two", "three");
    await route(desk, "y/1", { body: "other" });
    await subscribe(desk, "a", "x/*");
    const ear = await listen(desk, "a");
    expect(await desk.use.unmatched_reroute({})).toEqual({ rerouted: 3, left: 1 });
    expect(ear.texts()).toEqual(["one", "two", "three"]);
    expect(await listed(desk)).toEqual(["other"]);
    expect(await taken(desk, "a")).toEqual(["one", "two", "three"]);
  });

  it("happens once", async () => {
    const desk = await deskWith("a");
    await lost(desk, "one", "two");
    await subscribe(desk, "a", "x/*");
    const both = await desk.done(
      Promise.all([desk.use.unmatched_reroute({}), desk.use.unmatched_reroute({})]),
    );
    expect(both.map(({ rerouted }) => rerouted).reduce((a, b) => a + b)).toBe(2);
    expect(both.every(({ left }) => left === 0)).toBe(true);
    expect(await desk.use.unmatched_reroute({})).toEqual({ rerouted: 0, left: 0 });
    expect(await receive(desk, "a")).toHaveLength(2);
  });

  it("of one leaves the others", async () => {
    const desk = await deskWith("a");
    const [, second] = await lost(desk, "one", "two");
    const id = second?.shortId ?? "";
    expect(await desk.use.unmatched_reroute({ id })).toEqual({ rerouted: 0, left: 1 });
    await subscribe(desk, "a", "x/*");
    expect(await desk.use.unmatched_reroute({ id })).toEqual({ rerouted: 1, left: 0 });
    expect(await listed(desk)).toEqual(["one"]);
    await expect(desk.use.unmatched_reroute({ id })).rejects.toMatchObject({ code: "message.unknown" });
    await expect(desk.use.unmatched_reroute({ id: "nothing" })).rejects.toMatchObject({
      code: "message.unknown",
    });
  });

  it("goes through more than one page of them", async () => {
    const desk = await deskWith("a");
    const sending = Array.from({ length: 450 }, (_, number) =>
      desk.use.route({ path: number % 3 === 0 ? "y/1" : "x/1", body: `${number}`, claims: OWNER }),
    );
    await desk.done(Promise.all(sending));
    await subscribe(desk, "a", "x/*");
    expect(await desk.done(desk.use.unmatched_reroute({}))).toEqual({ rerouted: 300, left: 150 });
    expect(await receive(desk, "a")).toHaveLength(300);
  });

  it("follows the rules of its first way: cascade, and never back to its sender", async () => {
    const desk = await deskWith("a", "b");
    const sent = await route(desk, "slack/team/#general", { from: "a" });
    await subscribe(desk, "a", "slack/**");
    expect(await desk.use.unmatched_reroute({})).toEqual({ rerouted: 0, left: 1 });
    await subscribe(desk, "b:monitor", "slack/**");
    expect(await desk.use.unmatched_reroute({})).toEqual({ rerouted: 1, left: 0 });
    expect(deliveries(desk, sent)).toEqual([
      expect.stringMatching(/^session\/\w+ queued$/u),
      "agent/b queued handled",
    ]);
  });

  it("brings it to a terminal, which has its copy on file", async () => {
    const { desk, coder } = await oneAgent();
    await route(desk, "x/1", { body: "late but there" });
    await subscribe(desk, "coder", "x/*");
    await desk.done(desk.use.unmatched_reroute({}));
    await desk.advance(5_000);
    expect(coder.program.submitted).toMatchObject([expect.stringContaining("late but there")]);
  });

  it("keeps everything the sender wanted, and counts the timeout from then", async () => {
    const desk = await deskWith("a");
    const { messageId } = await route(desk, "x/1", {
      timeoutMs: 60_000,
      notifyOnDelivery: true,
      notifyAfterMs: 5_000,
    });
    const strict = await desk.done(
      desk.use.send({ to: "x/2", body: "once", require: "accepted", atMostOnce: true, claims: OWNER }),
    );
    await desk.advance(120_000);
    await desk.open();
    await subscribe(desk, "a", "x/*");
    expect(await desk.use.unmatched_reroute({})).toEqual({ rerouted: 2, left: 0 });
    expect(desk.store.read.deliveriesOf(messageId)).toMatchObject([
      { timeoutAt: desk.clock.now() + 60_000, owes: { onDelivery: true, afterMs: 5_000 }, atMostOnce: false },
    ]);
    const [kept] = desk.store.read.deliveriesOf(strict.messageId);
    expect(kept).toMatchObject({ require: "accepted", atMostOnce: true });
    expect(kept).not.toHaveProperty("timeoutAt");
    await desk.advance(60_000);
    expect(deliveries(desk, { messageId })).toEqual(["agent/a expired"]);
    const told = desk.store.read.deliveries({ mailboxes: ["person/dev"] });
    expect(told.map(({ message }) => message.body)).toMatchObject([expect.stringContaining("expired")]);
  });

  it("keeps the timeout that was configured when it was sent", async () => {
    const desk = await deskWith("a");
    desk.settings = { ...desk.settings, defaultTimeoutMs: 30_000 };
    const sent = await route(desk, "x/1");
    desk.settings = { ...desk.settings, defaultTimeoutMs: 0 };
    await subscribe(desk, "a", "x/*");
    await desk.done(desk.use.unmatched_reroute({}));
    await desk.advance(30_000);
    expect(deliveries(desk, sent)).toEqual(["agent/a expired"]);
  });

  it("leaves what agents said in a loop, but for the one that is named", async () => {
    const desk = await deskWith("a", "b");
    const loop = await route(desk, "agent/nobody", { body: "again and again" });
    await lost(desk, "one");
    await desk.store.write((tx) => {
      tx.removeUnmatched(loop.messageId);
      tx.insertUnmatched(loop.messageId, desk.clock.now(), loopReason("hops", STANDARD_LOOP_LIMITS));
    });
    await desk.use.agent_add({ name: "nobody" });
    await subscribe(desk, "a", "x/*");
    expect(await desk.use.unmatched_reroute({})).toEqual({ rerouted: 1, left: 1 });
    expect(await desk.use.unmatched_reroute({ id: loop.shortId })).toEqual({ rerouted: 1, left: 0 });
    expect(await taken(desk, "nobody")).toEqual(["again and again"]);
  });

  it("that dies midway loses none and delivers none twice", async () => {
    const desk = await deskWith("a");
    await lost(desk, "one", "two", "three");
    await subscribe(desk, "a", "x/*");
    const dying = desk.use.unmatched_reroute({});
    void dying.catch(() => {});
    await desk.store.write(() => {});
    desk.crash();
    await desk.open();
    await desk.done(desk.use.unmatched_reroute({}));
    expect((await taken(desk, "a")).toSorted()).toEqual(["one", "three", "two"]);
    expect(await listed(desk)).toEqual([]);
  });
});
