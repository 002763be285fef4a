/** What a WebSocket may send that it should not: everything is answered, or ends its own connection and no other. */
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/message.ts";
import { WS_LIMITS } from "../../src/doors/ws/limits.ts";
import type { WsCaller } from "./broker-callers.ts";
import { BrokerStage } from "./broker-stage.ts";

const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

async function connected(): Promise<{ stage: BrokerStage; caller: WsCaller }> {
  const stage = await BrokerStage.open();
  await stage.agents("a", "b");
  return { stage, caller: await stage.ws() };
}

describe("a bad message", () => {
  it.each<[string, unknown, object]>([
    ["garbage", "hello there", { type: "error", code: "request.malformed" }],
    ["nothing", "", { type: "error", code: "request.malformed" }],
    ["half an object", '{"type":"ping"', { type: "error", code: "request.malformed" }],
    ["two objects", '{"type":"ping"}{"type":"ping"}', { type: "error", code: "request.malformed" }],
    ["a list", [{ type: "ping" }], { type: "error", code: "request.malformed" }],
    ["null", "null", { type: "error", code: "request.malformed" }],
    ["a number", "7", { type: "error", code: "request.malformed" }],
    ["no type", {}, { type: "error", code: "request.malformed" }],
    ["a type that is no text", { type: 7 }, { type: "error", code: "request.malformed" }],
    [
      "a type that cannot be made a text",
      { type: { toString: "no function", valueOf: 7 } },
      { type: "error", code: "request.malformed" },
    ],
    ["a type that is null", { type: null, reqId: 4 }, { type: "error", code: "request.malformed", reqId: 4 }],
    [
      "an unknown type",
      { type: "msg.sned" },
      { type: "msg.sned.error", next: expect.stringContaining('"msg.send"') },
    ],
    [
      "a type of the prototype",
      { type: "constructor" },
      { type: "constructor.error", code: "request.malformed" },
    ],
    ["another one", { type: "__proto__" }, { type: "__proto__.error", code: "request.malformed" }],
    ["a type without end", { type: "x".repeat(5_000) }, { type: "error", code: "request.malformed" }],
    ["a verb of another door", { type: "stop" }, { type: "stop.error", code: "request.malformed" }],
    ["an answer's type", { type: "msg.send.ok" }, { type: "msg.send.ok.error", code: "request.malformed" }],
    [
      "a missing field",
      { type: "msg.send" },
      { type: "msg.send.error", message: expect.stringContaining('"to"') },
    ],
    [
      "a field that is none",
      { type: "msg.send", to: "b", payloda: {} },
      { type: "msg.send.error", next: expect.stringContaining('"payload"') },
    ],
    [
      "snake_case",
      { type: "msg.receive", agent_id: "a" },
      { type: "msg.receive.error", code: "request.malformed" },
    ],
    [
      "claims",
      { type: "msg.receive", agentId: "a", claims: { agent: "b" } },
      { type: "msg.receive.error", code: "request.malformed" },
    ],
    [
      "a prototype",
      '{"type":"msg.send","to":"b","__proto__":{"polluted":1}}',
      { type: "msg.send.error", code: "request.malformed" },
    ],
    [
      "a constructor",
      '{"type":"msg.send","to":"b","constructor":{"prototype":{"polluted":1}}}',
      { type: "msg.send.error", code: "request.malformed" },
    ],
    [
      "a wrong kind",
      { type: "msg.receive", agentId: 7 },
      { type: "msg.receive.error", message: expect.stringContaining('"agentId"') },
    ],
    [
      "an option that is none",
      { type: "msg.history", agentId: "a", options: { limt: 1 } },
      { type: "msg.history.error", code: "request.malformed" },
    ],
    [
      "a limit of none",
      { type: "msg.history", agentId: "a", options: { limit: 0 } },
      { type: "msg.history.error", message: expect.stringContaining("options.limit") },
    ],
    [
      "a limit without end",
      { type: "msg.history", agentId: "a", options: { limit: 1e9 } },
      { type: "msg.history.error", code: "request.malformed" },
    ],
    [
      "a bad reqId",
      { type: "ping", reqId: {} },
      { type: "error", message: expect.stringContaining("reqId") },
    ],
    ["a long reqId", { type: "ping", reqId: "x".repeat(129) }, { type: "error", code: "request.malformed" }],
    [
      "a path that is none",
      { type: "msg.route", path: "a//b" },
      { type: "msg.route.error", code: "name.invalid" },
    ],
    [
      "an agent that climbs",
      { type: "msg.send", to: "../../etc/passwd" },
      { type: "msg.send.error", code: "name.invalid" },
    ],
    [
      "a path without end",
      { type: "msg.route", path: "a/".repeat(400) },
      { type: "msg.route.error", code: "name.invalid" },
    ],
    [
      "half a character",
      '{"type":"msg.send","to":"b","body":"\\ud800"}',
      { type: "msg.send.error", code: "message.invalid_utf8" },
    ],
    [
      "half a character within",
      '{"type":"msg.send","to":"b","payload":{"text":"\\ud800"}}',
      { type: "msg.send.error", code: "message.invalid_utf8" },
    ],
    [
      "too long a body",
      { type: "msg.send", to: "b", body: "x".repeat(LIMITS.bodyBytes + 1) },
      { type: "msg.send.error", code: "message.too_large" },
    ],
    [
      "too long a payload",
      { type: "msg.send", to: "b", payload: ["x".repeat(LIMITS.bodyBytes)] },
      { type: "msg.send.error", code: "message.too_large" },
    ],
    [
      "JSON of 65 levels",
      `{"type":"msg.send","to":"b","payload":${deep(64)}}`,
      { type: "error", message: expect.stringContaining("deeper") },
    ],
    [
      "JSON without a bottom",
      "[".repeat(500_000),
      { type: "error", message: expect.stringContaining("deeper") },
    ],
    [
      "an ack of a session without its agent",
      { type: "msg.ack", messageId: "x", sessionId: "s" },
      { type: "msg.ack.error", message: expect.stringContaining("agentId") },
    ],
    [
      "an ack of nothing",
      { type: "msg.ack", messageId: "ffffffff" },
      { type: "msg.ack.error", code: "message.unknown" },
    ],
  ])("%s is answered with a typed error, and the connection stays", async (_, sent, error) => {
    const { stage, caller } = await connected();
    const answer = await caller.ask(sent);
    expect(answer).toMatchObject({ ...error, code: expect.any(String), next: expect.any(String) });
    expect(answer).toMatchObject(error);
    await caller.settled();
    expect(stage.store.read.countQueued()).toBe(0);
    expect({}).not.toHaveProperty("polluted");
  });

  it("at the limit is none: 64 levels, a body of 256 KiB, a reqId of 128 characters", async () => {
    const { caller } = await connected();
    caller.say(`{"type":"msg.send","to":"b","reqId":"${"x".repeat(128)}","payload":${deep(63)}}`);
    expect(await caller.answers.next()).toMatchObject({ type: "msg.send.ok", reqId: "x".repeat(128) });
    expect(await caller.ask({ type: "msg.send", to: "b", body: "x".repeat(LIMITS.bodyBytes) })).toMatchObject(
      {
        type: "msg.send.ok",
      },
    );
  });

  it("keeps the keys of a payload that a prototype has, as plain keys", async () => {
    const { caller } = await connected();
    caller.say('{"type":"msg.send","to":"b","payload":{"__proto__":{"x":1},"constructor":2}}');
    await caller.answers.next();
    const { messages } = await caller.ask({ type: "msg.receive", agentId: "b" });
    expect(JSON.stringify(messages)).toContain('"payload":{"__proto__":{"x":1},"constructor":2}');
  });

  it("that is binary is told so, and ends with 1003", async () => {
    const { caller } = await connected();
    caller.socket.send(Buffer.from('{"type":"ping"}'), { binary: true });
    expect(await caller.answers.next()).toMatchObject({ type: "error", code: "request.malformed" });
    expect(await caller.closed).toBe(1003);
  });

  it("of exactly 1 MiB is read, and one byte more ends with 1009", async () => {
    const { stage, caller } = await connected();
    const padded = (bytes: number) => '{"type":"ping"}'.padEnd(bytes, " ");
    expect(await caller.ask(padded(WS_LIMITS.frameBytes))).toEqual({ type: "pong" });
    caller.say(padded(WS_LIMITS.frameBytes + 1));
    expect(await caller.closed).toBe(1009);
    await (await stage.ws()).settled();
  });

  it("in small pieces is put together, and not without end", async () => {
    const { caller } = await connected();
    caller.socket.send('{"type":', { fin: false });
    caller.socket.send('"ping"}', { fin: true });
    expect(await caller.answers.next()).toEqual({ type: "pong" });
    for (let piece = 0; piece < 20_000; piece += 1) caller.socket.send(" ", { fin: false });
    expect(await caller.closed).toBeGreaterThan(1_001);
  });

  it("is compressed by nobody", async () => {
    const { stage } = await connected();
    const caller = await stage.ws(stage.token, { perMessageDeflate: true });
    expect(caller.socket.extensions).toBe("");
    await caller.settled();
  });
});

describe("requests without a reqId", () => {
  it("are answered in their order, bad ones too", async () => {
    const { caller } = await connected();
    caller.say({ type: "msg.send", to: "b", command: "x" });
    caller.say("garbage");
    caller.say({ type: "ping" });
    caller.say({ type: "nope" });
    caller.say({ type: "msg.receive", agentId: "b" });
    const types = [];
    for (let answer = 0; answer < 5; answer += 1) types.push((await caller.answers.next()).type);
    expect(types).toEqual(["msg.send.ok", "error", "pong", "nope.error", "msg.receive.ok"]);
  });

  it("far over the limit of what may be under way are all answered", async () => {
    const stage = await BrokerStage.open({ ws: { inFlight: 3 } });
    await stage.agents("b");
    const caller = await stage.ws();
    for (let number = 0; number < 500; number += 1)
      caller.say({ type: "msg.send", to: "b", command: `${number}` });
    for (let number = 0; number < 500; number += 1)
      expect(await caller.answers.next()).toMatchObject({ message: { command: `${number}` } });
  });
});
