/** The WebSocket door and the declared agents on the real daemon, as it is built. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { Client } from "../../src/client/connect.ts";
import { agentToken } from "../../src/home/token.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { WsCaller } from "./broker-callers.ts";
import { until } from "./broker-stage.ts";

const AGENTS = `agents:
  - name: researcher
    subscriptions: [slack/team/#general]
    sessions:
      - name: slack-monitor
        subscriptions: ["slack/**"]
  - name: archivist
    subscriptions: ["**"]
`;

let folder: string;
let bellhop: Bellhop;
let client: Client;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "bh-ws-"));
  // Nobody's tmux is looked at.
  bellhop = new Bellhop({ env: { TMUX_TMPDIR: folder }, config: AGENTS });
  await bellhop.start();
  client = await bellhop.client();
});
afterEach(async () => {
  await bellhop.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function connected(as?: string): Promise<WsCaller> {
  const { http, tokenFile } = await client.call("status", {});
  const owner = readFileSync(tokenFile, "utf8").trim();
  const authorization = `Bearer ${as === undefined ? owner : agentToken(owner, as)}`;
  const caller = new WsCaller(
    new WebSocket(`ws://127.0.0.1:${http.port}/ws`, { headers: { authorization } }),
  );
  await caller.opened;
  return caller;
}

function configure(agents: string): void {
  writeFileSync(join(bellhop.home, "config.yaml"), `http: { port: 0 }\n${agents}`);
}

describe("the real daemon", () => {
  it("speaks WebSocket to the owner and to an agent, and says when it stops", async () => {
    const [owner, researcher] = [await connected(), await connected("researcher")];
    expect(await researcher.ask({ type: "msg.listen", agentId: "researcher" })).toMatchObject({
      type: "msg.listen.ok",
    });
    expect(await researcher.ask({ type: "msg.receive", agentId: "archivist" })).toMatchObject({
      code: "rights.missing",
    });
    await owner.ask({ type: "msg.send", to: "researcher", command: "hello" });
    expect(await researcher.heard()).toMatchObject({ command: "hello" });
    await client.call("stop", {});
    expect(await owner.closed).toBe(1001);
    expect(await researcher.closed).toBe(1001);
  });

  it("has the agents of its config file, and what they hear, from the start", async () => {
    const owner = await connected();
    expect(
      await owner.ask({
        type: "msg.route",
        from: "slack-bridge",
        path: "slack/team/#general",
        source: "slack",
      }),
    ).toMatchObject({
      deliveredTo: ["archivist", "researcher"],
      deliveredToSessions: [{ agentId: "researcher", sessionId: "slack-monitor" }],
    });
    expect(await client.call("agent_show", { name: "researcher" })).toMatchObject({ origin: "declared" });
    owner.end();
  });

  it("follows the file when it changes; a bad one changes nothing and is told with its line", async () => {
    const owner = await connected();
    const deliveredTo = async (path: string) =>
      (await owner.ask({ type: "msg.route", path, command: "x" })).deliveredTo ?? [];
    await owner.ask({ type: "msg.sub.add", agentId: "archivist", pattern: "by/hand" });
    expect(await deliveredTo("new/path")).toEqual(["archivist"]);

    configure("agents:\n  - name: newcomer\n    subscriptions: [new/path]\n");
    await until(async () => (await deliveredTo("new/path")).toString() === "newcomer");
    // Out of the file: it keeps its mailbox and what was asked for by hand, and hears no more of the rest.
    expect(await deliveredTo("by/hand")).toEqual(["archivist"]);
    expect((await client.call("agent_show", { name: "archivist" })).queued).toBeGreaterThan(0);

    configure("agents:\n  - name: newcomer\n    subscriptions: ['**/**/**']\n");
    await until(async () => (await client.call("status", {})).warnings.length > 0);
    const { warnings } = await client.call("status", {});
    expect(warnings.join()).toMatch(/config\.yaml:4: agents\.subscriptions: /);
    expect(await deliveredTo("new/path")).toEqual(["newcomer"]);

    configure("agents:\n  - name: newcomer\n");
    await until(async () => (await deliveredTo("new/path")).toString() === "");
    expect((await client.call("status", {})).warnings).toEqual([]);
    owner.end();
  });
});
