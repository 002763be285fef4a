/** Listeners that take by WebSocket: each message has one taker, and what nobody is sure of is marked. */
import { describe, expect, it } from "vitest";
import { until } from "./broker-stage.ts";
import { CONSUME, hear, readerStage, send, stateOf } from "./ws-reader-stage.ts";

describe("listeners that take", () => {
  it("get what waits first, then what comes, each once", async () => {
    const { stage, writer } = await readerStage();
    const waiting = await send(writer, 150);
    const reader = await stage.ws();
    await reader.ask(CONSUME);
    const coming = await send(writer, 50);
    const heard = await hear(reader, 200);
    expect(heard.map(({ id }) => id)).toEqual([...waiting, ...coming]);
    expect(heard.filter(({ redelivered }) => redelivered)).toEqual([]);
    await until(() => stage.store.read.countQueued() === 0);
    expect((await writer.ask({ type: "msg.receive", agentId: "reader" })).messages).toEqual([]);
    const { messages } = await writer.ask({
      type: "msg.history",
      agentId: "reader",
      options: { limit: 1_000 },
    });
    expect(messages).toHaveLength(200);
  });

  it("of one mailbox share: each message has one taker", async () => {
    const { stage, writer } = await readerStage();
    const [one, two] = [await stage.ws(), await stage.ws()];
    await one.ask(CONSUME);
    await two.ask(CONSUME);
    for (let number = 0; number < 300; number += 1)
      writer.say({ type: "msg.send", from: "writer", to: "reader", command: `${number}` });
    await until(() => one.pushes.waiting.length + two.pushes.waiting.length === 300);
    await one.settled();
    await two.settled();
    const ids = [...one.pushes.waiting, ...two.pushes.waiting].map(({ message }) => message.id);
    expect(ids).toHaveLength(300);
    expect(new Set(ids).size).toBe(300);
  });

  it("who does not read holds up nobody else: the other takes what comes", async () => {
    const { stage, writer } = await readerStage();
    const slow = await stage.ws();
    await slow.ask(CONSUME);
    slow.socket.pause();
    const [stuck] = await send(writer, 1);
    await until(() => stateOf(stage, stuck) === "delivering");
    const quick = await stage.ws();
    await quick.ask(CONSUME);
    const ids = await send(writer, 20);
    expect((await hear(quick, 20)).map(({ id }) => id)).toEqual(ids);
    expect(stateOf(stage, stuck)).toBe("delivering");
    slow.end();
    expect(await quick.heard()).toMatchObject({ id: stuck, redelivered: true });
  });

  it("who goes in the midst leaves the rest to the next, marked where it may have been seen", async () => {
    const { stage, writer } = await readerStage();
    const first = await stage.ws();
    await first.ask(CONSUME);
    const [seen] = await send(writer, 1);
    await first.heard();
    await until(() => stage.store.read.countQueued() === 0 && stateOf(stage, seen) === "delivered");
    // It reads no more: what is written to it now may or may not have been seen.
    first.socket.pause();
    const [unsure] = await send(writer, 1);
    await until(() => stateOf(stage, unsure) === "delivering");
    const [never] = await send(writer, 1);
    first.end();
    const second = await stage.ws();
    await second.ask(CONSUME);
    const heard = await hear(second, 2);
    expect(heard.map(({ id, redelivered }) => [id, redelivered])).toEqual([
      [unsure, true],
      [never, undefined],
    ]);
    expect(stateOf(stage, seen)).toBe("delivered");
  });

  it("count as having it when they have read it, not when it is on its way", async () => {
    const { stage, writer } = await readerStage();
    const reader = await stage.ws();
    await reader.ask(CONSUME);
    reader.socket.pause();
    const [id] = await send(writer, 1);
    await until(() => stateOf(stage, id) === "delivering");
    await writer.settled();
    expect(stateOf(stage, id)).toBe("delivering");
    reader.socket.resume();
    await until(() => stateOf(stage, id) === "delivered");
    expect(stage.store.read.deliveriesOf(id ?? "")[0]).toMatchObject({
      transport: "receive",
      evidence: "accepted",
    });
  });

  it("do not take what went out by hand meanwhile, nor a message sent again under its key", async () => {
    const { stage, writer } = await readerStage();
    const reader = await stage.ws();
    await reader.ask(CONSUME);
    await send(writer, 2, { idempotencyKey: "once", command: "same" });
    expect((await reader.heard()).command).toBe("same");
    await send(writer, 1);
    expect((await reader.heard()).command).toBe("0");
    await reader.settled();
    expect(reader.pushes.waiting).toEqual([]);
    await until(() => stage.store.read.countQueued() === 0);
  });

  it("of a session take the session's copy", async () => {
    const { stage, writer } = await readerStage();
    const session = { agentId: "reader", sessionId: "desk" };
    await writer.ask({ type: "msg.session.sub.add", ...session, pattern: "news" });
    const reader = await stage.ws();
    await reader.ask({ type: "msg.session.listen", ...session, consume: true });
    const { messageId } = await writer.ask({ type: "msg.route", path: "news", command: "x" });
    expect(await reader.pushes.next()).toMatchObject({
      type: "msg.session.push",
      ...session,
      message: { id: messageId },
    });
    await until(() => stage.store.read.countQueued() === 0);
    expect((await writer.ask({ type: "msg.receive", agentId: "reader" })).messages).toMatchObject([
      { handled: true },
    ]);
  });
});
