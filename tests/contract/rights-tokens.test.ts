/** What an agent's token opens by HTTP, WebSocket and MCP: no more than the agent may; and what the owner may. */
import { describe, expect, it } from "vitest";
import { OWN_CHANNELS } from "./broker-doors.ts";
import { askHttp } from "./http-harness.ts";
import { MISSING, REPORT, stageOfTwo } from "./rights-stage.ts";

describe("an agent's token", () => {
  it.each(["port", "socket"] as const)(
    "opens no more by HTTP on the %s, and the answer is 403",
    async (at) => {
      const { stage, ids } = await stageOfTwo();
      const { port, socketPath } = stage.doors.http;
      const target = at === "port" ? { port } : { socketPath };
      const headers = {
        authorization: `Bearer ${stage.tokenOf("coder")}`,
        "content-type": "application/json",
      };
      const refused = [
        { path: "/sessions/api/send-queue" },
        { path: `/messages/${ids.others}` },
        { path: `/messages/${ids.others}/explain` },
        { path: "/sessions/api/history" },
        { path: "/scheduler/reminders" },
        { method: "DELETE", path: `/scheduler/reminders/${ids.reminder}` },
        { method: "POST", path: "/hooks/Stop", body: JSON.stringify({ program: "claude", payload: {} }) },
        { method: "POST", path: "/hooks/Stop", body: JSON.stringify(REPORT) },
      ] as const;
      for (const request of refused) {
        const answer = await askHttp(target, { headers, ...request });
        expect([request.path, answer.status]).toEqual([request.path, 403]);
        expect(JSON.parse(answer.text)).toMatchObject({ error: MISSING });
      }
    },
  );

  it("reports by HTTP what its own program does", async () => {
    const { stage } = await stageOfTwo();
    const { socketPath } = stage.doors.http;
    const headers = {
      authorization: `Bearer ${stage.tokenOf("api")}`,
      "content-type": "application/json",
    };
    const request = { method: "POST", path: "/hooks/Stop", headers, body: JSON.stringify(REPORT) } as const;
    expect((await askHttp({ socketPath }, request)).status).toBeLessThan(300);
  });

  it("that is none is refused on the socket too, where nobody has to show one", async () => {
    const { stage } = await stageOfTwo();
    const { socketPath } = stage.doors.http;
    const ask = async (headers: Record<string, string>) =>
      (await askHttp({ socketPath }, { path: "/sessions/api/history", headers })).status;
    expect(await ask({})).toBe(200);
    expect(await ask({ authorization: `Bearer ${stage.token}` })).toBe(200);
    expect(await ask({ authorization: "Bearer coder.none" })).toBe(401);
  });

  it("opens no more by WebSocket", async () => {
    const { stage, ids } = await stageOfTwo();
    const coder = await stage.ws(stage.tokenOf("coder"));
    for (const frame of [
      { type: "msg.receive", agentId: "api" },
      { type: "msg.listen", agentId: "api", consume: true },
      { type: "msg.ack", messageId: ids.others },
      { type: "msg.unmatched.clear" },
      { type: "msg.sub.add", agentId: "coder", pattern: OWN_CHANNELS[0] },
    ])
      expect(await coder.ask(frame)).toMatchObject({ type: `${frame.type}.error`, ...MISSING });
  });

  it("opens no more by MCP", async () => {
    const { stage, ids } = await stageOfTwo();
    const headers = {
      authorization: `Bearer ${stage.tokenOf("coder")}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    for (const [name, input] of [
      ["message_status", { id: ids.others }],
      ["reply", { message_id: ids.others, text: "x" }],
      ["send_message", { to: "api", text: "x", reply_to: ids.others }],
      ["subscribe", { pattern: "agent/api" }],
      ["subscribe", { pattern: OWN_CHANNELS[0] }],
      ["send_message", { to: "telegram/77", text: "x" }],
    ] as const) {
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: input },
      });
      const answer = await askHttp({ port: stage.port }, { method: "POST", path: "/mcp", headers, body });
      expect(answer.text, name).toContain("rights.missing");
    }
  });
});

describe("the owner", () => {
  it("may look without taking, and take with their name on the receipt", async () => {
    const { stage, ids } = await stageOfTwo();
    const claims = { user: "dev" };
    const receipt = () =>
      stage.store.read.receiptsOf(stage.store.read.deliveriesOf(ids.others)[0]?.id ?? "").at(-1);
    await stage.use.read({ id: ids.others, claims });
    await stage.use.inbox({ who: "api", claims });
    expect(stage.store.read.deliveriesOf(ids.others)[0]?.state).toBe("queued");
    await stage.use.inbox({ who: "api", take: true, claims });
    expect(receipt()).toMatchObject({ state: "delivered", note: "taken by person/dev" });
  });

  it("empties their own mailbox by reading, and nobody else's", async () => {
    const { stage, ids } = await stageOfTwo();
    await stage.use.read({ id: ids.persons, claims: { user: "somebody" } });
    expect(stage.store.read.deliveriesOf(ids.persons)[0]?.state).toBe("queued");
    await stage.use.read({ id: ids.persons, claims: { user: "dev" } });
    expect(stage.store.read.deliveriesOf(ids.persons)[0]?.state).toBe("read");
  });
});
