import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { errorOf, heldBack, SENT, STATUS, UnixDoorStage } from "./unix-door-stage.ts";

let stage: UnixDoorStage;
beforeEach(() => {
  stage = new UnixDoorStage();
});
afterEach(() => stage.dispose());

describe("the Unix door", () => {
  it("answers the plain request of a shell one-liner, newline or not", async () => {
    await stage.start({ send: async () => SENT });
    const one = await stage.caller();
    one.socket.end(
      '{"type":"send","to":"coder","body":"hi","from":"concierge","priority":"normal","raw":false}',
    );
    expect(await one.next()).toEqual({
      ok: true,
      message_id: "m-1",
      short_id: "m7k2q9",
      unmatched: false,
      deliveries: SENT.deliveries,
    });
    expect(stage.script.asked).toEqual([
      {
        verb: "send",
        request: {
          to: "coder",
          body: "hi",
          from: "concierge",
          priority: "normal",
          raw: false,
          claims: { user: "dev" },
        },
      },
    ]);
    expect(await one.all()).toBe("");
  });

  it("takes show with a message_id", async () => {
    await stage.start({ show: async () => ({ message: {}, deliveries: [] }) as never });
    const one = await stage.caller();
    one.socket.write('{"type":"show","message_id":"m7k2q9"}\n');
    expect((await one.next()).ok).toBe(true);
    expect(stage.script.asked[0]?.request).toEqual({ id: "m7k2q9" });
  });

  it("echoes req_id and lets a slow request not hold up a quick one", async () => {
    const slow = heldBack({ state: "delivered", reached: true } as const);
    await stage.start({
      wait: slow.give,
      status: async () => STATUS,
    });
    const one = await stage.caller();
    one.socket.write(
      '{"type":"wait","id":"m","state":"delivered","req_id":"w"}\n{"type":"status","req_id":7}\n',
    );
    expect((await one.next()).req_id).toBe(7);
    slow.release();
    expect(await one.next()).toMatchObject({ req_id: "w", ok: true });
  });

  it("answers requests without req_id in their order, bad ones too", async () => {
    const slow = heldBack({ state: "delivered", reached: true } as const);
    await stage.start({
      wait: slow.give,
      status: async () => STATUS,
    });
    const one = await stage.caller();
    one.socket.write('{"version":"0.1.0","type":"wait","id":"m","state":"delivered"}\n');
    one.socket.write('{"type":"status"}\n{garbage\n');
    one.socket.write('{"type":"status","req_id":"later"}\n');
    expect((await one.next()).req_id).toBe("later");
    slow.release();
    expect((await one.next()).result).toEqual({ state: "delivered", reached: true });
    expect(await one.next()).toMatchObject({ ok: true, pid: 1 });
    expect(errorOf(await one.next()).code).toBe("request.malformed");
  });

  it("puts a character together that arrives in pieces", async () => {
    await stage.start({ send: async () => SENT });
    const one = await stage.caller();
    const bytes = Buffer.from('{"type":"send","to":"coder","body":"grüße 👩‍👩‍👧 漢字"}\n');
    for (const byte of bytes) {
      one.socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await one.next()).ok).toBe(true);
    expect(stage.script.asked[0]?.request).toMatchObject({ body: "grüße 👩‍👩‍👧 漢字" });
  });

  it("keeps what is opaque as it was, both ways", async () => {
    const inside = { hook_event_name: "Stop", camelCase: { deep_key: [1, { a_b: null }] } };
    await stage.start({ hook_event: async (request) => ({ output: request.payload }) });
    const one = await stage.client();
    const answer = await one.call("hook_event", {
      eventName: "Stop",
      program: "claude",
      emittedAt: 5,
      payload: inside,
      environment: { CLAUDE_CODE_SESSION_ID: "x" },
    });
    expect(answer.output).toEqual(inside);
    expect(stage.script.asked[0]?.request).toMatchObject({
      environment: { CLAUDE_CODE_SESSION_ID: "x" },
      emittedAt: 5,
    });
  });
});
