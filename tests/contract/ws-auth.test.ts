/** A token over WebSocket: as the first message, too late, wrong, changed, and missing. */
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { THROTTLE } from "../../src/doors/auth/throttle.ts";
import { agentToken } from "../../src/home/token.ts";
import { WsCaller } from "./broker-callers.ts";
import { BrokerStage, until } from "./broker-stage.ts";
import { askHttp } from "./http-harness.ts";
import { refused } from "./ws-refused.ts";

const UNAUTHORISED = { code: "request.unauthorised", next: expect.stringContaining("auth") };

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
    const stage = await BrokerStage.open({ ws: { authMs: 1_000 } });
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
    const stage = await BrokerStage.open({ ws: { heartbeatMs: 400 } });
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
