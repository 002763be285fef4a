/** `/mcp` on the daemon: which callers are accepted, who they speak as, and what is not MCP. */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/message.ts";
import { agentToken } from "../../src/home/token.ts";
import { McpDesk } from "./mcp-desk.ts";

const DIST = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "dist");
const PERSON = `person/${userInfo().username}`;

interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** On the Unix socket. */
  readonly local?: boolean;
}

describe("POST /mcp", () => {
  const desk = new McpDesk();
  let url: URL;
  beforeAll(async () => {
    await desk.open();
    url = new URL(await desk.url());
  });
  afterAll(() => desk.close());

  const call = (name: string, given: object = {}) =>
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } });

  const ask = async ({ method = "POST", path = "/mcp", headers, body, local }: Ask) => {
    const at =
      local === true
        ? { socketPath: join(desk.bellhop.home, "run", "http.sock") }
        : { host: url.hostname, port: url.port };
    const request = httpRequest({
      ...at,
      method,
      path,
      agent: false,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
    });
    request.end(body);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    let text = "";
    for await (const chunk of response) text += String(chunk);
    return { status: response.statusCode, headers: response.headers, text };
  };

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  it.each<[string, () => Record<string, string>, number]>([
    ["without a token", () => ({}), 401],
    ["with a wrong token", () => bearer("x".repeat(64)), 401],
    ["with another agent's seal", () => bearer(`reviewer.${desk.tokenOf("coder").split(".")[1]}`), 401],
    ["with an agent's token of another home", () => bearer(agentToken("0".repeat(64), "coder")), 401],
    ["under another host name", () => ({ ...bearer(desk.token), host: "evil.example" }), 421],
    ["under another port", () => ({ ...bearer(desk.token), host: "127.0.0.1:1" }), 421],
    ["from a page", () => ({ ...bearer(desk.token), origin: "https://evil.example" }), 403],
    ["from a file", () => ({ ...bearer(desk.token), origin: "null" }), 403],
    ["from another site", () => ({ ...bearer(desk.token), "sec-fetch-site": "cross-site" }), 403],
    ["as text", () => ({ ...bearer(desk.token), "content-type": "text/plain" }), 415],
    ["packed", () => ({ ...bearer(desk.token), "content-encoding": "gzip" }), 415],
  ])("refuses a call %s", async (_, headers, status) => {
    const body = call("send_message", { to: "reviewer", text: "let me in" });
    const answer = await ask({ headers: headers(), body });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ error: { next: expect.stringMatching(/./) } });
    expect((await (await desk.office()).call("queue", {})).deliveries).toEqual([]);
  });

  it("takes no token from the address", async () => {
    const answer = await ask({ path: `/mcp?token=${desk.token}`, body: call("list_agents") });
    expect(answer.status).toBe(401);
  });

  it.each(["GET", "DELETE", "PUT", "OPTIONS"])("has no sessions: %s", async (method) => {
    expect((await ask({ method })).status).toBe(401);
    const answer = await ask({ method, headers: bearer(desk.token) });
    expect([answer.status, answer.headers.allow]).toEqual([405, "POST"]);
  });

  it.each<[string, string, number]>([
    ["several calls in one", `[${call("inbox")},${call("inbox")}]`, 400],
    ["no JSON", "{", 400],
    ["no JSON-RPC", "{}", 400],
    ["nothing", "", 400],
    ["a number", "5", 400],
    ["too much", JSON.stringify({ text: "x".repeat(LIMITS.requestBytes) }), 413],
    ["depth", `${"[".repeat(1_000)}${"]".repeat(1_000)}`, 400],
  ])("refuses a body of %s", async (_, body, status) => {
    const answer = await ask({ headers: bearer(desk.token), body });
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining("error")]);
  });

  it("holds no stream open", async () => {
    const headers = {
      ...bearer(desk.token),
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "subscriptions/listen",
    };
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const params = { _meta: meta, notifications: { toolsListChanged: true } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params });
    const answer = await ask({ headers, body });
    expect(answer.text).toContain("Subscription limit reached");
  });

  it("serves the person on the private socket without a token", async () => {
    const answer = await ask({ local: true, headers: { host: "localhost" }, body: call("list_agents") });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(`"you":"${PERSON}"`)]);
  });

  it("is the person with the owner's token", async () => {
    const owner = await desk.overHttp(desk.token);
    expect(await owner.ask("list_agents")).toMatchObject({ you: PERSON });
    const { id } = await owner.ask<{ id: string }>("send_message", { to: "coder", text: "from me" });
    expect((await desk.show(id)).message).toMatchObject({ from: PERSON, source: "person" });
    expect(await owner.ask("message_status", { id })).toMatchObject({ from: PERSON });
    const turn = { "x-codex-turn-metadata": { thread_id: "whatever" } };
    const { value } = await owner.call("send_message", { to: "coder", text: "still me" }, turn);
    expect((await desk.show(String(value?.id))).message.from).toBe(PERSON);
  });

  it("is that agent with an agent's token, and sees nothing that is not its own", async () => {
    const coder = await desk.overHttp(desk.tokenOf("coder"));
    const reviewer = await desk.overHttp(desk.tokenOf("reviewer"));
    const owner = await desk.overHttp(desk.token);
    const { id } = await owner.ask<{ id: string }>("send_message", { to: "reviewer", text: "a secret" });
    const error = await coder.refused("message_status", { id });
    expect(error.code).toBe("rights.missing");
    expect(JSON.stringify(error)).not.toContain("secret");
    expect(await reviewer.ask("message_status", { id })).toMatchObject({ to: "agent/reviewer" });
    const inbox = await coder.ask<{ who: string; messages: { text: string }[] }>("inbox", { limit: 20 });
    expect(inbox.who).not.toContain("reviewer");
    expect(inbox.messages.map(({ text }) => text)).not.toContain("a secret");
    const asked = await coder.ask<{ id: string }>("send_message", { to: "reviewer", text: "mine" });
    expect((await desk.show(asked.id)).message).toMatchObject({ from: "agent/coder", source: "agent" });
    expect(await coder.ask("message_status", { id: asked.id })).toMatchObject({ from: "agent/coder" });
  });

  it("goes on when a caller hangs up", async () => {
    const request = httpRequest({
      host: url.hostname,
      port: url.port,
      method: "POST",
      path: "/mcp",
      agent: false,
      headers: {
        ...bearer(desk.token),
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
    });
    request.on("error", () => {});
    request.end(call("send_message", { to: "reviewer", text: "then I went" }));
    await once(request, "finish");
    request.destroy();
    const owner = await desk.overHttp(desk.token);
    await owner.ask("list_agents");
    expect(desk.bellhop.log()).not.toContain("door.bug");
  });

  it("ends with the owner's token: a new one ends every agent's", async () => {
    const coder = await desk.overHttp(desk.tokenOf("coder"));
    await coder.ask("list_agents");
    writeFileSync(join(desk.bellhop.home, "token"), `${"a".repeat(64)}\n`);
    await expect(coder.call("list_agents")).rejects.toThrow(/401|bearer token is wrong/i);
    await (await desk.overHttp(desk.tokenOf("coder"))).ask("list_agents");
  });
});

describe("what a start costs", () => {
  it.each(["bellhop.cjs", "cli-registry.cjs", "client.mjs"])("%s loads nothing of MCP", (file) => {
    expect(built(file)).not.toMatch(/(from|require\(|import) *["']@modelcontextprotocol/);
  });

  it("has MCP's code in a part of the daemon that is loaded with the first request", () => {
    const theirs = "notifications/initialized";
    expect([built("daemon-web.cjs").includes(theirs), built("daemon.cjs").includes(theirs)]).toEqual([
      true,
      false,
    ]);
  });
});

function built(file: string): string {
  return readFileSync(join(DIST, file), "utf8");
}
