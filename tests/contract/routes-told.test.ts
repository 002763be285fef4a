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
});
