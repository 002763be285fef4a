/** How messages flow to those who listen by WebSocket: in order, and not without end. */
import { describe, expect, it } from "vitest";
import type { BrokerMessage } from "../../src/wire/shapes/broker.ts";
import { messageFromBrief } from "../../src/wire/told-message.ts";
import type { Frame, WsCaller } from "./broker-callers.ts";
import { until } from "./broker-stage.ts";
import { CONSUME, commands, hear, LISTEN, readerStage, send } from "./ws-reader-stage.ts";

describe("a listener", () => {
  it("is answered before anything is pushed, also behind a request that takes long", async () => {
    const { stage, writer } = await readerStage();
    await send(writer, 3);
    const reader = await stage.ws();
    const order: string[] = [];
    reader.socket.on("message", (data) => order.push(JSON.parse(String(data)).type));
    // Without a reqId the answers come in order; what is sent meanwhile waits behind them.
    reader.say({ type: "msg.broadcast", from: "writer", command: "slow" });
    reader.say(CONSUME);
    await hear(reader, 4);
    expect(order).toEqual([
      "msg.broadcast.ok",
      "msg.listen.ok",
      "msg.push",
      "msg.push",
      "msg.push",
      "msg.push",
    ]);
  });

  it("hears everything in the order in which it was sent, and so does every other", async () => {
    const { stage, writer } = await readerStage();
    const readers = await Promise.all(Array.from({ length: 20 }, () => stage.ws()));
    for (const reader of readers) await reader.ask(LISTEN);
    for (let number = 0; number < 200; number += 1)
      writer.say({ type: "msg.send", from: "writer", to: "reader", command: `${number}` });
    const expected = Array.from({ length: 200 }, (_, number) => `${number}`);
    for (const reader of readers) expect(commands(await hear(reader, 200))).toEqual(expected);
  });

  it.each([
    ["hears", LISTEN],
    ["takes", CONSUME],
  ])("who sends on the same connection is answered first, and then %s what it sent", async (_, listen) => {
    const { stage } = await readerStage();
    const reader = await stage.ws();
    await reader.ask(listen);
    const order: string[] = [];
    reader.socket.on("message", (data) => {
      const { type, messageId, message } = JSON.parse(String(data));
      order.push(`${type} ${messageId ?? message.id}`);
    });
    // Some with a reqId, whose answers may overtake one another, and some without.
    for (let number = 0; number < 40; number += 1)
      reader.say({
        type: "msg.send",
        from: "writer",
        to: "reader",
        ...(number % 3 === 0 ? {} : { reqId: number }),
      });
    const pushed = (await hear(reader, 40)).map(({ id }) => id);
    expect(order).toHaveLength(80);
    for (const id of pushed)
      expect(order.indexOf(`msg.send.ok ${id}`), id).toBeLessThan(order.indexOf(`msg.push ${id}`));
  });

  it("who asks twice hears once", async () => {
    const { stage, writer } = await readerStage();
    const reader = await stage.ws();
    reader.say(LISTEN);
    reader.say(LISTEN);
    expect(await reader.answers.next()).toMatchObject({ type: "msg.listen.ok" });
    expect(await reader.answers.next()).toMatchObject({ type: "msg.listen.ok" });
    expect(await reader.ask(LISTEN)).toMatchObject({ type: "msg.listen.ok" });
    await send(writer, 2);
    expect(commands(await hear(reader, 2))).toEqual(["0", "1"]);
    await reader.settled();
    expect(reader.pushes.waiting).toEqual([]);
    expect(stage.known.listening).toBe(1);
  });

  it("may hear briefly from then on, each message once, and the other way round", async () => {
    const { stage, writer } = await readerStage();
    const reader = await stage.ws();
    await reader.ask(LISTEN);
    await reader.ask({ ...LISTEN, brief: true });
    const [first] = await send(writer, 1);
    const brief = (await reader.pushes.next()) as Frame;
    expect(brief).toMatchObject({ type: "msg.push", brief: { 0: first, 7: { command: "0" } } });
    expect(brief.message).toBeUndefined();
    await reader.ask(LISTEN);
    const [second] = await send(writer, 1);
    expect((await reader.heard()).id).toBe(second);
    await reader.settled();
    expect(reader.pushes.waiting).toEqual([]);
    expect(stage.known.listening).toBe(1);
  });

  it("is told the same briefly, as an agent and as one of its sessions", async () => {
    const { stage, writer } = await readerStage();
    const [whole, brief] = [await stage.ws(), await stage.ws()];
    await writer.ask({ type: "msg.session.sub.add", agentId: "reader", sessionId: "s", pattern: "news/*" });
    for (const [caller, more] of [[whole, {}] as const, [brief, { brief: true }] as const])
      for (const type of ["msg.listen", "msg.session.listen"])
        await caller.ask({
          type,
          agentId: "reader",
          ...(type === "msg.listen" ? {} : { sessionId: "s" }),
          ...more,
        });
    for (const words of [
      { body: "x" },
      { command: "go", payload: { text: "x" } },
      { payload: null, source: "slack" },
    ])
      await writer.ask({ type: "msg.route", path: "news/today", ...words });
    for (let count = 0; count < 6; count += 1) {
      const { message, ...inFull } = (await whole.pushes.next()) as Frame;
      const { brief: told, ...inBrief } = (await brief.pushes.next()) as Frame;
      expect(inBrief).toEqual(inFull);
      expect(messageFromBrief(told)).toEqual(message);
    }
  });

  it("may take from then on what it only heard, and the other way round", async () => {
    const { stage, writer } = await readerStage();
    const reader = await stage.ws();
    await reader.ask(LISTEN);
    const [first = ""] = await send(writer, 1);
    await reader.heard();
    await reader.ask(CONSUME);
    // It waits still, so it comes again: nobody has taken it yet.
    expect((await reader.heard()).id).toBe(first);
    await until(() => stage.store.read.deliveriesOf(first)[0]?.state === "delivered");
    await reader.ask(LISTEN);
    const [second = ""] = await send(writer, 1);
    await reader.heard();
    expect(stage.store.read.deliveriesOf(second)[0]?.state).toBe("queued");
    expect(stage.known.listening).toBe(1);
  });

  it("of a thousand mailboxes on one connection leaves none behind when it closes", async () => {
    const { stage } = await readerStage();
    const reader = await stage.ws();
    const names = Array.from({ length: 999 }, (_, number) => `s${number}`);
    await Promise.all(names.map((name) => stage.use.session_add({ agent: "reader", name })));
    for (const [number, sessionId] of names.entries())
      reader.say({ type: "msg.session.listen", agentId: "reader", sessionId, consume: number % 2 === 0 });
    reader.say(CONSUME);
    for (let answer = 0; answer < 1_000; answer += 1)
      expect((await reader.answers.next()).type).toMatch(/listen\.ok$/);
    expect(stage.known.listening).toBe(1_000);
    reader.end();
    await until(() => stage.known.listening === 0 && stage.doors.ws.connections === 1);
  });

  it("of a thousand connections leaves none behind either", async () => {
    const { stage, writer } = await readerStage();
    const readers: WsCaller[] = [];
    for (let number = 0; number < 500; number += 1) {
      const reader = await stage.ws();
      await reader.ask(number % 2 === 0 ? LISTEN : CONSUME);
      await reader.ask({ type: "msg.listen", agentId: "writer" });
      readers.push(reader);
    }
    expect(stage.known.listening).toBe(1_000);
    for (const [number, reader] of readers.entries()) {
      if (number % 2 === 0) reader.end();
      else reader.socket.close();
    }
    await until(() => stage.known.listening === 0 && stage.doors.ws.connections === 1);
    await send(writer, 1);
    expect(stage.store.read.countQueued()).toBe(1);
  });

  it("may listen to so many mailboxes and no more", async () => {
    const { stage } = await readerStage({ ws: { listens: 2 } });
    const reader = await stage.ws();
    await reader.ask(LISTEN);
    await reader.ask({ type: "msg.listen", agentId: "writer" });
    await stage.agents("third");
    expect(await reader.ask({ type: "msg.listen", agentId: "third" })).toMatchObject({
      type: "msg.listen.error",
      code: "listener.too_many",
    });
    expect(await reader.ask(LISTEN)).toMatchObject({ type: "msg.listen.ok" });
  });

  it("that was refused takes no place", async () => {
    const { stage } = await readerStage({ ws: { listens: 1 } });
    const reader = await stage.ws();
    for (let time = 0; time < 3; time += 1)
      expect(await reader.ask({ type: "msg.listen", agentId: "nobody" })).toMatchObject({
        code: "agent.unknown",
      });
    expect(await reader.ask(LISTEN)).toMatchObject({ type: "msg.listen.ok" });
  });
});

describe("a reader that does not read", () => {
  it("is cut off, finds its messages pending, and holds up nobody", async () => {
    const { stage, writer } = await readerStage();
    const [slow, quick] = [await stage.ws(), await stage.ws()];
    await slow.ask(LISTEN);
    await quick.ask(LISTEN);
    slow.socket.pause();
    const body = "x".repeat(200_000);
    let sent = 0;
    while (stage.doors.ws.connections === 3) {
      await send(writer, 1, { body });
      sent += 1;
      expect(sent).toBeLessThan(200);
    }
    expect(stage.log.entries).toContainEqual({
      level: "warn",
      event: "ws.backlog",
      fields: { bytes: expect.any(Number) },
    });
    expect(await hear(quick, sent)).toHaveLength(sent);
    // It comes back and receives them all: what it did not read was never taken from it.
    const back = await stage.ws();
    let received = 0;
    for (;;) {
      const { messages } = await back.ask({ type: "msg.receive", agentId: "reader" });
      if ((messages as unknown[]).length === 0) break;
      received += (messages as unknown[]).length;
    }
    expect(received).toBe(sent);
  });

  it("of answers is not worked for meanwhile, and gets them all when it reads", async () => {
    const { stage, writer } = await readerStage();
    await send(writer, 5, { body: "x".repeat(100_000) });
    const reader = await stage.ws();
    reader.socket.pause();
    for (let reqId = 0; reqId < 100; reqId += 1)
      reader.say({ type: "msg.history", agentId: "reader", reqId });
    await writer.settled();
    reader.socket.resume();
    for (let answer = 0; answer < 100; answer += 1)
      expect(await reader.answers.next()).toMatchObject({ type: "msg.history.ok" });
    expect(stage.log.entries).not.toContainEqual(expect.objectContaining({ event: "ws.backlog" }));
  });

  it("never gets more in one answer than gets through: the rest waits for the next", async () => {
    const { writer } = await readerStage();
    const ids = await send(writer, 30, { body: "x".repeat(200_000) });
    const { messages: newest } = await writer.ask({ type: "msg.history", agentId: "reader" });
    const newestIds = (newest as BrokerMessage[]).map(({ id }) => id);
    expect(newestIds).toEqual(ids.slice(-newestIds.length));
    const received: string[] = [];
    for (;;) {
      const { messages } = await writer.ask({ type: "msg.receive", agentId: "reader" });
      const some = (messages as BrokerMessage[]).map(({ id }) => id);
      if (some.length === 0) break;
      expect(some.length).toBeLessThan(30);
      received.push(...some);
    }
    expect(received).toEqual(ids);
  });

  it("while it takes is waited for: nothing piles up, and nothing is lost", async () => {
    const { stage, writer } = await readerStage();
    const reader = await stage.ws();
    await reader.ask(CONSUME);
    reader.socket.pause();
    const ids = await send(writer, 60, { body: "x".repeat(200_000) });
    expect(stage.log.entries).not.toContainEqual(expect.objectContaining({ event: "ws.backlog" }));
    reader.socket.resume();
    expect((await hear(reader, 60)).map(({ id }) => id)).toEqual(ids);
    await until(() => stage.store.read.countQueued() === 0);
  });
});

describe("a connection", () => {
  it("that does not answer a ping is ended by the next", async () => {
    const { stage } = await readerStage({ ws: { heartbeatMs: 500 } });
    const dead = await stage.ws(stage.token, { autoPong: false });
    const live = await stage.ws();
    await dead.ask(LISTEN);
    expect(await dead.closed).toBe(1006);
    await until(() => stage.known.listening === 0);
    await live.settled();
    expect(stage.log.entries).toContainEqual(expect.objectContaining({ event: "ws.silent" }));
  });

  it("is told that the daemon stops, after what it asked was answered", async () => {
    const { stage, writer } = await readerStage();
    const reader = await stage.ws();
    await reader.ask(LISTEN);
    const answers = Promise.allSettled(
      Array.from({ length: 20 }, (_, reqId) =>
        writer.ask({ type: "msg.send", from: "writer", to: "reader", command: "last", reqId }),
      ),
    );
    await until(() => stage.store.read.countQueued() > 0);
    const closing = stage.doors.ws.close();
    expect(await writer.closed).toBe(1001);
    expect(await reader.closed).toBe(1001);
    await closing;
    const answered = (await answers).filter(({ status }) => status === "fulfilled").length;
    // Each that is stored was answered: what was not begun is not there either.
    expect(stage.store.read.countQueued()).toBe(answered);
    await expect(stage.ws()).rejects.toThrow("503");
  });

  it("that does not say goodbye is not waited for", async () => {
    const { stage } = await readerStage({ ws: { farewellMs: 20 } });
    const reader = await stage.ws();
    reader.socket.pause();
    await stage.doors.ws.close(5_000);
    expect(stage.doors.ws.connections).toBe(0);
  });
});
