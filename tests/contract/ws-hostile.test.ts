/** What a WebSocket may send that it should not: everything is answered, or ends its own connection and no other. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/message.ts";
import { WS_LIMITS } from "../../src/doors/ws-connection.ts";
import { WS_TYPES } from "../../src/wire/ws-schemas.ts";
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

/** Every field of every type, with values that fit, nearly fit, or are anything at all. */
const word = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "main",
    "s",
    "agent/a",
    "slack/**",
    "**",
    "x/y",
    "",
    "../..",
    "__proto__",
    "\u0000",
    "\ud800",
  ),
  fc.string({ maxLength: 40 }),
);
const value = fc.oneof(
  { weight: 5, arbitrary: word },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  fc.constantFrom(null, true, false, 0, -1, 1.5, 1e300, [], {}, { limit: 2 }, { limit: -1 }, { fromTime: 0 }),
);
const FIELDS = [
  "from",
  "to",
  "path",
  "command",
  "payload",
  "body",
  "source",
  "externalId",
  "priority",
  "re",
  "idempotencyKey",
  "timeoutMs",
  "agentId",
  "sessionId",
  "pattern",
  "options",
  "consume",
  "messageId",
  "__proto__",
  "reqId",
  "token",
];
const KNOWN = WS_TYPES.filter((type) => type !== "auth");
const frame = fc.record(
  {
    type: fc.oneof({ weight: 8, arbitrary: fc.constantFrom<unknown>(...KNOWN) }, value),
    fields: fc.oneof(
      fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 1 }),
      fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 6 }),
    ),
    fitting: fc.boolean(),
  },
  { requiredKeys: ["type", "fields", "fitting"] },
);
const FITTING: Readonly<Record<string, unknown>> = {
  agentId: "a",
  to: "b",
  path: "x/y",
  pattern: "x/**",
  sessionId: "s",
  messageId: "ffff",
};

function written({ type, fields, fitting }: { type: unknown; fields: object; fitting: boolean }): string {
  const whole = { ...(fitting ? fittingFor(type) : {}), ...fields, type };
  // Whatever it is called, this one must not end the connection: that has tests of its own.
  return JSON.stringify(whole.type === "auth" ? { ...whole, type: "ping" } : whole);
}

function fittingFor(type: unknown): object {
  const text = String(type);
  const names = text.includes("session")
    ? ["agentId", "sessionId", ...(text.includes("sub.") ? ["pattern"] : [])]
    : text === "msg.send"
      ? ["to"]
      : text === "msg.route"
        ? ["path"]
        : text === "msg.ack"
          ? ["messageId"]
          : ["agentId", ...(text.includes("sub.") ? ["pattern"] : [])];
  return Object.fromEntries(names.map((name) => [name, FITTING[name]]));
}

describe("anything at all", () => {
  it("is answered, each once: 4,000 frames of every type", async () => {
    const { stage, caller } = await connected();
    await stage.use.session_add({ agent: "a", name: "s" });
    let asked = 0;
    let fine = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 40, maxLength: 40 }), async (frames) => {
        for (const one of frames) caller.say(written(one));
        for (const _ of frames) {
          const answer = await caller.answers.next();
          expect(answer.type).toMatch(/(^pong|\.ok|(^|\.)error)$/);
          if (answer.type.endsWith("error"))
            expect(answer).toMatchObject({
              code: expect.any(String),
              message: expect.any(String),
              next: expect.any(String),
            });
          else fine += 1;
          expect(answer.code).not.toBe("internal.bug");
        }
        asked += frames.length;
        expect(caller.answers.waiting).toEqual([]);
      }),
      { numRuns: 100 },
    );
    expect(asked).toBeGreaterThanOrEqual(4_000);
    // Not all of them are refused at the first look.
    expect(fine).toBeGreaterThan(400);
    await caller.settled();
  });

  it("as bytes ends at worst its own connection", async () => {
    const { stage, caller } = await connected();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.boolean(), async (bytes, binary) => {
        const hostile = await stage.ws();
        hostile.socket.send(bytes, { binary });
        await Promise.race([hostile.answers.next().catch(() => {}), hostile.closed]);
        hostile.end();
      }),
      { numRuns: 100 },
    );
    await caller.settled();
  });
});
