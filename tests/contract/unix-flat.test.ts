/** Requests as the first clients of the socket write them, and their answers: flat, the error a text. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SAMPLE_IDS, sampleSession, sampleShow } from "./scripted-use-cases.ts";
import { SENT, STATUS, UnixDoorStage } from "./unix-door-stage.ts";

let stage: UnixDoorStage;
beforeEach(() => {
  stage = new UnixDoorStage();
});
afterEach(() => stage.dispose());

async function answer(request: object): Promise<Record<string, unknown>> {
  const one = await stage.caller();
  one.socket.write(`${JSON.stringify(request)}\n`);
  return one.next();
}

describe("a request without a version", () => {
  it("send: the id of the message", async () => {
    await stage.start({ send: async () => SENT });
    expect(await answer({ type: "send", to: "coder", body: "hi", priority: "normal" })).toMatchObject({
      ok: true,
      message_id: "m-1",
    });
  });

  it("show: the message with its file, and whether it was delivered", async () => {
    const receipts = [
      { at: 1, state: "queued" },
      { at: 2, state: "delivered" },
    ] as const;
    await stage.start({ show: async () => sampleShow({ state: "read", receipts }) });
    expect(await answer({ type: "show", message_id: SAMPLE_IDS.shortId })).toMatchObject({
      ok: true,
      message_id: SAMPLE_IDS.message,
      message: {
        id: SAMPLE_IDS.message,
        from: "person/dev",
        priority: "idle",
        body: "hello",
        file_path: "/home/dev/.bellhop/messages/api/x.md",
        status: "delivered",
        delivered_at: 2,
      },
    });
  });

  it.each([
    ["queued", "queued"],
    ["delivering", "queued"],
    ["replied", "delivered"],
    ["unconfirmed", "unconfirmed"],
    ["expired", "expired"],
  ] as const)("show of one that is %s: %s", async (state, status) => {
    await stage.start({ show: async () => sampleShow({ state }) });
    expect(await answer({ type: "show", message_id: "m" })).toMatchObject({ message: { status } });
  });

  it("status of one session: the agent; of the daemon: the daemon", async () => {
    await stage.start({ session: async () => sampleSession(), status: async () => STATUS });
    expect(await answer({ type: "status", to: "api" })).toMatchObject({
      ok: true,
      agent: { name: "api", session_id: SAMPLE_IDS.session, state: "busy", paused: false },
    });
    expect(await answer({ type: "status" })).toMatchObject({ ok: true, running: true, pid: 1 });
  });

  it("status of the daemon: the first of its bridges", async () => {
    const bridge = { name: "telegram", state: "up", since: 1, lastIn: 2, strangers: 0 } as const;
    await stage.start({ status: async () => ({ ...STATUS, bridges: [bridge] }) });
    expect(await answer({ type: "status" })).toMatchObject({
      ok: true,
      bridge: { name: "telegram", state: "up", since: 1, last_in: 2 },
    });
  });

  it("stop and attach: the agent, and what became of it", async () => {
    const whose = { sessionId: SAMPLE_IDS.session, agent: "api" };
    await stage.start({
      session_stop: async () => ({ ...whose, outcome: "stopped" }),
      attach: async () => ({ ...whose, socket: "/s", token: "t" }),
    });
    const agent = { name: "api", session_id: SAMPLE_IDS.session };
    expect(await answer({ type: "stop", to: "api" })).toMatchObject({ ok: true, agent, outcome: "stopped" });
    expect(await answer({ type: "attach", to: "api", cols: 80, rows: 24 })).toMatchObject({
      ok: true,
      agent,
      socket: "/s",
      token: "t",
    });
  });

  it("hook_event: an event's name and payload, for whom it is, and nothing else", async () => {
    await stage.start({ hook_event: async () => ({}) });
    const event = { type: "hook_event", to: "coder", event_name: "Stop", payload: { a_b: 1 } };
    expect(await answer(event)).toEqual({ ok: true });
    expect(await answer({ type: "hook_event", event_name: "Stop" })).toEqual({ ok: true });
    expect(stage.script.asked.map(({ request }) => request)).toEqual([
      { eventName: "Stop", to: "coder", payload: { a_b: 1 }, emittedAt: 1_000, environment: {} },
      { eventName: "Stop", payload: null, emittedAt: 1_000, environment: {} },
    ]);
  });

  it("refused: the error is a text that says what to do, with its code beside it", async () => {
    await stage.start({});
    for (const request of ['{"type":"sned"}', "{garbage", "7"]) {
      const one = await stage.caller();
      one.socket.write(`${request}\n`);
      expect(await one.next()).toEqual({
        ok: false,
        error: expect.stringMatching(/\. .+\.?$/u),
        code: "request.malformed",
        next: expect.any(String),
      });
    }
  });

  it("everything else: what an envelope would hold, with the request's id", async () => {
    await stage.start({ pause: async () => ({ agent: "api", paused: true }) });
    expect(await answer({ type: "pause", who: "api", paused: true, req_id: 4 })).toEqual({
      ok: true,
      req_id: 4,
      agent: "api",
      paused: true,
    });
  });
});

describe("a request with a version", () => {
  it("has its answer, or what is wrong, in an envelope", async () => {
    await stage.start({ status: async () => STATUS });
    const version = "0.1.0";
    expect(await answer({ type: "status", version })).toMatchObject({
      ok: true,
      version: "1.2.3",
      result: { pid: 1 },
    });
    expect(await answer({ type: "sned", version })).toMatchObject({
      ok: false,
      version: "1.2.3",
      error: { code: "request.malformed" },
    });
    const one = await stage.caller();
    one.socket.write('{"type":"status","version":"0.1.0",\n');
    expect(await one.next()).toMatchObject({ version: "1.2.3", error: { code: "request.malformed" } });
  });
});
