import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { ScriptedAgent } from "../rig/scripted-agent.ts";
import { CodexDesk, PATIENCE_MS } from "./codex-desk.ts";

beforeAll(assertInNamespace);

/**
 * Codex passes nothing to its MCP servers in the environment, and runs those of all windows in one place: it names the
 * caller in each call. There is nobody at these windows to answer a dialog.
 */
describe("Codex with Bellhop as its MCP server", () => {
  let desk: CodexDesk;
  let first: RunningAgent;
  let second: RunningAgent;
  let reader: ScriptedAgent & { readonly id: string };

  beforeAll(async () => {
    desk = await CodexDesk.open();
    reader = await desk.seatScripted("reader");
    const extraConfig = `${await registration()}default_tools_approval_mode = "approve"\nrequired = true\n`;
    first = await desk.seat("first", { extraConfig });
    second = await desk.seat("second", { extraConfig });
  });
  afterAll(() => desk?.close());

  /** What `bellhop mcp install codex` writes. */
  async function registration(): Promise<string> {
    const CODEX_HOME = join(desk.tmux.folder, "registered");
    const installed = await desk.bellhop.run(["mcp", "install", "codex", "--yes"], { env: { CODEX_HOME } });
    if (installed.code !== 0) throw new Error(installed.stderr);
    return readFileSync(join(CODEX_HOME, "config.toml"), "utf8");
  }

  /** The result that the model got for the call. */
  async function calls<T>(window: RunningAgent, tool: string, input: object): Promise<T> {
    const typist = await desk.typist(window);
    const before = desk.model.requests.length;
    await desk.say(typist, window, `[[tool mcp__bellhop__${tool} ${JSON.stringify(input)}]]`);
    const { toolResults } = await desk.model.waitForRequest(
      (request) => request.kind === "tool_result" && desk.model.requests.indexOf(request) >= before,
      { timeoutMs: PATIENCE_MS },
    );
    return JSON.parse(toolResults.join("").split("\n").at(-1) ?? "") as T;
  }

  it("sends from each window as the agent in it", async () => {
    for (const window of [first, second]) {
      const text = `This is ${window.session}.`;
      const sent = await calls<{ id: string }>(window, "send_message", { to: "reader", text });
      const { message } = await desk.client.call("show", { id: sent.id });
      expect(message).toMatchObject({ from: `agent/${window.session}`, to: "agent/reader", source: "agent" });
      const delivery = await desk.reaches({ messageId: message.id, shortId: sent.id }, "delivered");
      expect(delivery.to).toBe("agent/reader");
    }
    expect((await desk.tmux.capture(reader.pane)).replaceAll("\n", "")).toContain("This is second.");
  });

  it("reads its own inbox", async () => {
    await desk.client.call("pause", { who: "first", paused: true });
    const parcel = await desk.send("first", "The parcel is here.");
    await desk.isHeld(parcel, "paused");
    expect(await calls(first, "inbox", { take: true })).toMatchObject({
      messages: [{ id: parcel.shortId, text: "The parcel is here." }],
    });
    await desk.client.call("pause", { who: "first", paused: false });
    expect(await desk.delivery(parcel)).toMatchObject({ state: "delivered", transport: "receive" });
  });
});
