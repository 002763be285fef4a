/** Who may come in by WebSocket at all: what an upgrade must bring, and where. */
import { once } from "node:events";
import { connect as dial } from "node:net";
import { describe, expect, it } from "vitest";
import { BrokerStage, until } from "./broker-stage.ts";
import { askHttp } from "./http-harness.ts";
import { refused } from "./ws-refused.ts";

describe("the upgrade", () => {
  it("lets in who brings the token as a header: it need not say it again, and may", async () => {
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

  it("lets in our own page if it shows the token at once, and not to show it later", async () => {
    const stage = await BrokerStage.open();
    const origin = `http://127.0.0.1:${stage.port}`;
    expect(await refused(stage.url, { origin })).toMatchObject({ status: 401 });
    const caller = await stage.ws(undefined, { origin });
    expect(await caller.ask({ type: "ping" })).toEqual({ type: "pong" });
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
