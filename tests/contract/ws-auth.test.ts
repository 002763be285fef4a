/** Who may come in by WebSocket, and whom an agent's token speaks for. */
import { once } from "node:events";
import { connect as dial } from "node:net";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { THROTTLE } from "../../src/doors/throttle.ts";
import { agentToken } from "../../src/token.ts";
import { BrokerStage, until, WsCaller } from "./broker-stage.ts";
import { askHttp } from "./http-harness.ts";

const UNAUTHORISED = { code: "request.unauthorised", next: expect.stringContaining("auth") };

/** The status with which an upgrade was refused, and its body. */
async function refused(
  url: string,
  headers: Record<string, string>,
): Promise<{ readonly status: number; readonly error: { readonly code: string } }> {
  const socket = new WebSocket(url, { headers });
  socket.on("error", () => {});
  const [, response] = await once(socket, "unexpected-response");
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode, ...JSON.parse(Buffer.concat(chunks).toString()) };
}

describe("the upgrade", () => {
  it("lets in who brings the token as a header: he need not say it again, and may", async () => {
    const stage = await BrokerStage.open();
    const caller = await stage.ws();
    expect(await caller.ask({ type: "ping" })).toEqual({ type: "pong" });
    expect(await caller.ask({ type: "auth", token: stage.token, reqId: 1 })).toEqual({
      type: "auth.ok",
      reqId: 1,
    });
  });

  it.each<[string, (stage: BrokerStage) => Record<string, string>, number]>([
    ["a wrong token", () => ({ authorization: "Bearer nope" }), 401],
    ["another scheme", (stage) => ({ authorization: `Basic ${stage.token}` }), 401],
    [
      "a page elsewhere",
      (stage) => ({ authorization: `Bearer ${stage.token}`, origin: "https://evil.example" }),
      403,
    ],
    ["a page of no origin", (stage) => ({ authorization: `Bearer ${stage.token}`, origin: "null" }), 403],
    [
      "another local page",
      (stage) => ({ authorization: `Bearer ${stage.token}`, origin: "http://127.0.0.1:3000" }),
      403,
    ],
    ["a page elsewhere, without a token", () => ({ origin: "https://evil.example" }), 403],
    ["a rebound name", (stage) => ({ authorization: `Bearer ${stage.token}`, host: "evil.example" }), 421],
    ["a rebound name, without a token", () => ({ host: "evil.example" }), 421],
  ])("refuses %s", async (_, headers, status) => {
    const stage = await BrokerStage.open();
    const answer = await refused(stage.url, headers(stage));
    expect(answer.status).toBe(status);
    expect(answer.error.code).toMatch(/^request\./);
    expect(stage.doors.ws.connections).toBe(0);
  });

  it("lets in our own page", async () => {
    const stage = await BrokerStage.open();
    const caller = await stage.ws(null, { origin: `http://127.0.0.1:${stage.port}` });
    expect(await caller.ask({ type: "auth", token: stage.token })).toEqual({ type: "auth.ok" });
  });

  it.each(["/", "/sessions", "/ws/", "/ws/x", "/WS", "/%77s", "/healthz"])(
    "is nowhere but at /ws: not at %s",
    async (path) => {
      const stage = await BrokerStage.open();
      const url = `ws://127.0.0.1:${stage.port}${path}`;
      expect(await refused(url, { authorization: `Bearer ${stage.token}` })).toMatchObject({ status: 404 });
    },
  );

  it("takes no token in the address", async () => {
    const stage = await BrokerStage.open();
    expect(await refused(`${stage.url}?token=${stage.token}`, {})).toMatchObject({ status: 400 });
  });

  it.each<[string, string, number]>([
    [
      "without a key",
      "GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n",
      400,
    ],
    [
      "of an old version",
      "GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 7\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
      400,
    ],
    [
      "by another method",
      "POST /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
      405,
    ],
    ["to something else", "GET /ws HTTP/1.1\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n", 426],
    [
      "as a proxy is asked",
      "GET http://127.0.0.1/ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
      421,
    ],
  ])("refuses one %s in our words", async (_, lines, status) => {
    const stage = await BrokerStage.open();
    const socket = dial(stage.port, "127.0.0.1");
    let text = "";
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    socket.write(`${lines}Host: 127.0.0.1:${stage.port}\r\n\r\n`);
    await once(socket, "close");
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(JSON.parse(text.slice(text.indexOf("\r\n\r\n")))).toMatchObject({
      error: { code: expect.any(String) },
    });
  });

  it("tells a plain request that this path speaks WebSocket", async () => {
    const stage = await BrokerStage.open();
    const answer = await askHttp(
      { port: stage.port },
      { path: "/ws", headers: { authorization: `Bearer ${stage.token}` } },
    );
    expect(answer.status).toBe(426);
    expect(answer.headers.upgrade).toBe("websocket");
  });

  it("turns away one too many, and takes the next when one has left", async () => {
    const stage = await BrokerStage.open({ ws: { connections: 2 } });
    const first = await stage.ws();
    await stage.ws();
    const headers = { authorization: `Bearer ${stage.token}` };
    expect(await refused(stage.url, headers)).toMatchObject({ status: 503 });
    first.end();
    await until(() => stage.doors.ws.connections === 1);
    expect(await (await stage.ws()).ask({ type: "ping" })).toEqual({ type: "pong" });
  });
});

describe("auth as the first message", () => {
  it("opens the connection", async () => {
    const stage = await BrokerStage.open();
    const caller = await stage.ws(null);
    expect(await caller.ask({ type: "auth", token: stage.token })).toEqual({ type: "auth.ok" });
    expect(await caller.ask({ type: "ping" })).toEqual({ type: "pong" });
  });

  it("may be followed by requests at once: they wait for it", async () => {
    const stage = await BrokerStage.open();
    const caller = await stage.ws(null);
    for (const frame of [
      { type: "auth", token: stage.token, reqId: "a" },
      { type: "ping", reqId: "b" },
    ])
      caller.say(frame);
    expect(await caller.answers.next()).toEqual({ type: "auth.ok", reqId: "a" });
    expect(await caller.answers.next()).toEqual({ type: "pong", reqId: "b" });
  });

  it.each([
    [
      "a request",
      { type: "msg.receive", agentId: "x", reqId: 9 },
      { type: "msg.receive.error", reqId: 9, ...UNAUTHORISED },
    ],
    ["a ping", { type: "ping" }, { type: "ping.error", ...UNAUTHORISED }],
    ["an unknown type", { type: "hello" }, { type: "hello.error", ...UNAUTHORISED }],
    ["no type", {}, { type: "error", ...UNAUTHORISED }],
    ["garbage", "hello there", { type: "error", code: "request.malformed" }],
    ["an auth without a token", { type: "auth" }, { type: "auth.error", code: "request.malformed" }],
    [
      "an auth with more",
      { type: "auth", token: "x", as: "owner" },
      { type: "auth.error", code: "request.malformed" },
    ],
    [
      "a wrong token",
      { type: "auth", token: "nope", reqId: "w" },
      { type: "auth.error", reqId: "w", code: "request.unauthorised" },
    ],
  ])("nothing else comes before it: %s is answered with an error and 4401", async (_, frame, error) => {
    const stage = await BrokerStage.open();
    const caller = await stage.ws(null);
    expect(await caller.ask(frame)).toMatchObject(error);
    expect(await caller.closed).toBe(4401);
    await until(() => stage.doors.ws.connections === 0);
  });

  it("what stands behind a wrong one is not carried out", async () => {
    const stage = await BrokerStage.open();
    await stage.agents("researcher");
    const caller = await stage.ws(null);
    caller.say({ type: "auth", token: "nope" });
    caller.say({ type: "msg.send", to: "researcher", command: "x" });
    expect(await caller.closed).toBe(4401);
    expect(stage.store.read.countQueued()).toBe(0);
  });

  it("is not waited for without end", async () => {
    const stage = await BrokerStage.open({ ws: { authMs: 30 } });
    const caller = await stage.ws(null);
    expect(await caller.answers.next()).toMatchObject({ type: "auth.error", ...UNAUTHORISED });
    expect(await caller.closed).toBe(4401);
  });

  it("that came in time is not cut off later", async () => {
    const stage = await BrokerStage.open({ ws: { authMs: 60 } });
    const caller = await stage.ws(null);
    await caller.ask({ type: "auth", token: stage.token });
    const late = await stage.ws(null);
    expect(await late.closed).toBe(4401);
    await caller.settled();
  });

  it("a second time as the same is nothing new, as somebody else is refused", async () => {
    const stage = await BrokerStage.open();
    await stage.agents("coder");
    const caller = await stage.ws(null);
    await caller.ask({ type: "auth", token: stage.token });
    expect(await caller.ask({ type: "auth", token: stage.token })).toEqual({ type: "auth.ok" });
    expect(await caller.ask({ type: "auth", token: stage.tokenOf("coder") })).toMatchObject({
      type: "auth.error",
      code: "request.forbidden",
    });
    // Still the owner.
    expect(await caller.ask({ type: "msg.unmatched" })).toMatchObject({ type: "msg.unmatched.ok" });
  });

  it("a second time with a wrong token ends the connection", async () => {
    const stage = await BrokerStage.open();
    const caller = await stage.ws();
    expect(await caller.ask({ type: "auth", token: "nope" })).toMatchObject({ type: "auth.error" });
    expect(await caller.closed).toBe(4401);
  });

  it("counts wrong tokens together with those of HTTP, and never keeps out the right one", async () => {
    const stage = await BrokerStage.open();
    const wrong = { authorization: "Bearer nope" };
    for (let guess = 0; guess < THROTTLE.wrongTokens; guess += 1) {
      if (guess % 2 === 0) {
        const caller = await stage.ws(null);
        expect(await caller.ask({ type: "auth", token: "nope" })).toMatchObject({
          code: "request.unauthorised",
        });
      } else
        expect((await askHttp({ port: stage.port }, { path: "/status", headers: wrong })).status).toBe(401);
    }
    const caller = await stage.ws(null);
    expect(await caller.ask({ type: "auth", token: "nope" })).toMatchObject({ code: "request.throttled" });
    expect(await refused(stage.url, wrong)).toMatchObject({ status: 429 });
    expect((await askHttp({ port: stage.port }, { path: "/status", headers: wrong })).status).toBe(429);
    await (await stage.ws()).settled();
  });
});

describe("a token that is changed", () => {
  it("opens nothing any more, and ends what it had opened at the next heartbeat", async () => {
    const stage = await BrokerStage.open({ ws: { heartbeatMs: 40 } });
    await stage.agents("coder");
    const owner = await stage.ws();
    const agent = await stage.ws(stage.tokenOf("coder"));
    await owner.settled();
    stage.known.token = "f".repeat(64);
    expect(await owner.answers.next()).toMatchObject({ type: "auth.error", code: "request.unauthorised" });
    expect(await owner.closed).toBe(4401);
    expect(await agent.closed).toBe(4401);
    await (await stage.ws(stage.tokenOf("coder"))).settled();
    const old = agentToken("0123456789abcdef".repeat(4), "coder");
    expect(await refused(stage.url, { authorization: `Bearer ${old}` })).toMatchObject({ status: 401 });
  });
});

describe("an agent's own token", () => {
  async function agentStage() {
    const stage = await BrokerStage.open();
    await stage.agents("coder", "writer");
    return { stage, coder: await stage.ws(stage.tokenOf("coder")), owner: await stage.ws() };
  }

  it("may be shown either way", async () => {
    const { stage } = await agentStage();
    const caller = await stage.ws(null);
    expect(await caller.ask({ type: "auth", token: stage.tokenOf("coder") })).toEqual({ type: "auth.ok" });
    expect(await caller.ask({ type: "msg.receive", agentId: "coder" })).toMatchObject({
      type: "msg.receive.ok",
    });
  });

  it("is the sender, whether it says so or not", async () => {
    const { coder } = await agentStage();
    for (const from of [{}, { from: "coder" }, { from: "agent/coder" }])
      expect(await coder.ask({ type: "msg.send", to: "writer", command: "x", ...from })).toMatchObject({
        message: { from: "coder" },
      });
  });

  it.each([
    ["another agent", { type: "msg.send", from: "writer", to: "coder" }],
    ["a person", { type: "msg.send", from: "person/dev", to: "writer" }],
    ["a name that nobody has", { type: "msg.route", from: "slack-bridge", path: "agent/writer" }],
    ["another agent, to all", { type: "msg.broadcast", from: "writer" }],
    ["a system outside", { type: "msg.route", path: "agent/writer", source: "slack" }],
    ["another's mailbox", { type: "msg.receive", agentId: "writer" }],
    ["another's history", { type: "msg.history", agentId: "writer" }],
    ["another's ears", { type: "msg.listen", agentId: "writer" }],
    ["another's ears, taking", { type: "msg.listen", agentId: "writer", consume: true }],
    ["another's subscriptions", { type: "msg.sub.list", agentId: "writer" }],
    ["subscribing another", { type: "msg.sub.add", agentId: "writer", pattern: "x/**" }],
    [
      "another's session",
      { type: "msg.session.sub.add", agentId: "writer", sessionId: "s", pattern: "x/**" },
    ],
    ["the dead letters", { type: "msg.unmatched" }],
    ["clearing the dead letters", { type: "msg.unmatched.clear" }],
  ])("does not speak for %s", async (_, frame) => {
    const { coder, stage } = await agentStage();
    await stage.use.session_add({ agent: "writer", name: "s" });
    expect(await coder.ask(frame)).toMatchObject({
      type: `${frame.type}.error`,
      code: "request.forbidden",
      next: expect.any(String),
    });
    expect(stage.store.read.countQueued()).toBe(0);
  });

  it("acknowledges its own copy and nobody else's", async () => {
    const { stage, coder, owner } = await agentStage();
    await coder.ask({ type: "msg.sub.add", agentId: "coder", pattern: "news" });
    await owner.ask({ type: "msg.sub.add", agentId: "writer", pattern: "news" });
    const { messageId } = await owner.ask({ type: "msg.route", path: "news", command: "x" });
    expect(await coder.ask({ type: "msg.ack", messageId, agentId: "writer" })).toMatchObject({
      code: "request.forbidden",
    });
    await coder.ask({ type: "msg.ack", messageId });
    const states = stage.store.read.deliveriesOf(String(messageId)).map(({ to, state }) => `${to} ${state}`);
    expect(states).toEqual(["agent/coder read", "agent/writer queued"]);
  });

  it("over HTTP speaks for itself too, and steers nothing", async () => {
    const { stage } = await agentStage();
    const headers = { authorization: `Bearer ${stage.tokenOf("coder")}`, "content-type": "application/json" };
    const ask = (path: string, body: object) =>
      askHttp({ port: stage.port }, { method: "POST", path, headers, body: JSON.stringify(body) });
    expect((await ask("/sessions/writer/send", { text: "hello" })).status).toBe(200);
    const [item] = stage.store.read.deliveries({ mailboxes: ["agent/writer"] });
    expect(item?.message).toMatchObject({ from: "agent/coder", source: "agent" });
    expect((await ask("/sessions/coder/send", { text: "hello", sender_session_id: "writer" })).status).toBe(
      403,
    );
    const queue = { path: "/sessions/writer/send-queue", headers };
    expect((await askHttp({ port: stage.port }, queue)).status).toBe(403);
  });

  it("speaks for nobody when its agent is removed", async () => {
    const { stage, coder } = await agentStage();
    await stage.use.agent_remove({ name: "coder" });
    for (const frame of [
      { type: "msg.send", to: "writer" },
      { type: "msg.receive", agentId: "coder" },
    ])
      expect(await coder.ask(frame)).toMatchObject({ type: `${frame.type}.error`, code: "agent.unknown" });
    expect(stage.store.read.countQueued()).toBe(0);
  });

  it("is nobody's who makes one up", async () => {
    const { stage } = await agentStage();
    for (const token of [`coder.${"0".repeat(64)}`, agentToken("0".repeat(64), "coder"), "coder", "coder."])
      expect(await refused(stage.url, { authorization: `Bearer ${token}` })).toMatchObject({ status: 401 });
  });
});

describe("who asks on the Unix socket", () => {
  it("cannot say that a token made him an agent", async () => {
    const stage = await BrokerStage.open();
    await stage.agents("coder", "writer");
    const caller = await stage.unix();
    const claims = { user: "root", agent: "coder" };
    const answer = await caller.ask({ type: "route", path: "agent/writer", body: "x", claims });
    expect(answer).toMatchObject({ ok: true, result: { message: { from: "person/dev" } } });
  });
});

describe("a stranger", () => {
  it("who only stands there is dropped when others come, and no one who has shown a token is", async () => {
    const stage = await BrokerStage.open();
    const known = await stage.ws();
    const late = await stage.ws(null);
    await late.ask({ type: "auth", token: stage.token });
    const strangers: WsCaller[] = [];
    for (let one = 0; one < 140; one += 1) {
      const socket = new WebSocket(stage.url);
      const caller = new WsCaller(socket);
      strangers.push(caller);
      await caller.opened;
    }
    await strangers[0]?.closed;
    await known.settled();
    await late.settled();
    for (const caller of strangers) caller.end();
  });
});
