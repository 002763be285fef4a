/** Every delivery, told on the Unix socket and on a WebSocket, from the answer on and until it ends. */
import { describe, expect, it } from "vitest";
import { BrokerStage, CLAIMS } from "./broker-stage.ts";

async function stageOfReaders() {
  const stage = await BrokerStage.open();
  await stage.agents("reader", "writer");
  const send = (to: string, body: string) => stage.use.send({ to, body, claims: CLAIMS });
  return { stage, send };
}

describe("routes", () => {
  it("are told on the Unix socket, with the mailboxes, until unroutes", async () => {
    const { stage, send } = await stageOfReaders();
    const caller = await stage.unix();
    expect(await caller.ask({ type: "routes", req_id: 1 })).toMatchObject({ ok: true, req_id: 1 });
    const { messageId } = await send("reader", "hello");
    expect(await caller.pushes.next()).toEqual({
      type: "push",
      req_id: 1,
      route: {
        message_id: messageId,
        from: "person/dev",
        to: "agent/reader",
        delivered_to: ["agent/reader"],
        owners: ["agent/reader"],
        at: expect.any(Number),
      },
    });
    expect(await caller.ask({ type: "unroutes", req_id: 2, routes: 1 })).toMatchObject({ ok: true });
    await send("reader", "unheard");
    expect(await caller.ask({ type: "unroutes", req_id: 3, routes: 1 })).toMatchObject({
      ok: false,
      error: { code: "request.malformed" },
    });
    expect(caller.pushes.waiting).toEqual([]);
  });

  it("are told on a WebSocket, once however often they are asked for, and not of a dead letter", async () => {
    const { stage, send } = await stageOfReaders();
    const caller = await stage.ws();
    for (const reqId of [1, 2]) {
      caller.say(JSON.stringify({ type: "routes", reqId }));
      expect(await caller.answers.next()).toEqual({ type: "routes.ok", reqId });
    }
    await stage.use.route({ path: "nobody/hears", body: "x", claims: CLAIMS });
    const { messageId } = await send("writer", "hello");
    expect(await caller.pushes.next()).toMatchObject({ type: "routes.push", route: { messageId } });
    await caller.ask({ type: "ping" });
    expect(caller.pushes.waiting).toEqual([]);
  });

  it("are told on a WebSocket until unroutes, and again if they are asked for again", async () => {
    const { stage, send } = await stageOfReaders();
    const caller = await stage.ws();
    expect(await caller.ask({ type: "unroutes" })).toEqual({ type: "unroutes.ok" });
    await caller.ask({ type: "routes" });
    expect(await caller.ask({ type: "unroutes", reqId: 1 })).toEqual({ type: "unroutes.ok", reqId: 1 });
    await send("writer", "unheard");
    await caller.ask({ type: "routes" });
    const { messageId } = await send("writer", "heard");
    expect(await caller.pushes.next()).toMatchObject({ type: "routes.push", route: { messageId } });
    expect(caller.pushes.waiting).toEqual([]);
  });

  it("name the agent of a session, and a copy to be received only not again", async () => {
    const { stage } = await stageOfReaders();
    await stage.use.sub_add({ agent: "reader", session: "night", pattern: "news/*", claims: CLAIMS });
    const caller = await stage.ws();
    await caller.ask({ type: "routes" });
    await stage.use.route({ path: "news/today", body: "x", claims: CLAIMS });
    expect(await caller.pushes.next()).toMatchObject({
      route: {
        deliveredTo: [expect.stringMatching(/^session\//u), "agent/reader"],
        owners: ["agent/reader"],
      },
    });
  });
});
