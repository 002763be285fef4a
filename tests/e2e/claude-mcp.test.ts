import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bellhopOnPath } from "../rig/bellhop.ts";
import { type FakeModel, startFakeModel } from "../rig/fake-model.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import type { Typist } from "../rig/typist.ts";
import { PATIENCE_MS, PERSON, Stage } from "./claude-stage.ts";

beforeAll(assertInNamespace);

/**
 * Claude Code with Bellhop as its MCP server, registered as docs/mcp.md says. There is nobody to answer a dialog: if one
 * opened, the test would fail.
 */
describe("Claude Code with Bellhop as its MCP server", () => {
  let stage: Stage;
  let alice: RunningAgent;
  let alicesTypist: Typist;
  let bobsModel: FakeModel;

  beforeAll(async () => {
    stage = await Stage.set();
    bobsModel = await startFakeModel();
    const bin = bellhopOnPath(join(stage.tmux.folder, "bin"));
    const home = join(stage.tmux.folder, "alice-home");
    await register(home);
    await stage.enter("bob", { model: bobsModel });
    alice = await stage.enter("alice", {
      home,
      pathFolders: [bin],
      extraEnv: { BELLHOP_HOME: stage.bellhop.home },
      settings: { permissions: { allow: ["mcp__bellhop"] } },
    });
    alicesTypist = await stage.typist(alice);
  });
  afterAll(async () => {
    await stage?.strike();
    await bobsModel?.close();
  });

  async function register(home: string): Promise<void> {
    mkdirSync(home, { recursive: true });
    const installed = await stage.bellhop.run(["mcp", "install", "claude", "--yes"], { env: { HOME: home } });
    if (installed.code !== 0) throw new Error(installed.stderr);
  }

  /** A person tells Alice's model to call a tool; resolves with the result that the model got. */
  async function calls<T>(tool: string, input: object): Promise<T> {
    await stage.untilIdle("alice");
    const before = stage.model.requests.length;
    const prompt = `do it [[tool mcp__bellhop__${tool} ${JSON.stringify(input)}]]`;
    await alicesTypist.type(prompt);
    await stage.tmux.waitForScreen(alice.pane, (screen) => screen.includes("do it"));
    alicesTypist.press("\r");
    const { toolResults } = await stage.model.waitForRequest(
      (request) => request.kind === "tool_result" && stage.model.requests.indexOf(request) >= before,
      { timeoutMs: PATIENCE_MS },
    );
    // After an error Claude adds its own advice.
    return JSON.parse(toolResults.join("").split("\n")[0] ?? "") as T;
  }

  it("knows who it is and who else is there", async () => {
    expect(await calls("list_agents", {})).toMatchObject({
      you: "alice",
      agents: [
        { name: "alice", sessions: [{ program: "claude", state: "busy" }] },
        { name: "bob", sessions: [{ program: "claude" }] },
      ],
    });
  });

  it("sends to another agent, as itself", async () => {
    const text = "How many lights are there? 四つ 🙂";
    const sent = await calls<{ id: string }>("send_message", { to: "bob", text });
    const { userText } = await bobsModel.waitForRequest(
      (request) => request.newPrompts.some((prompt) => prompt.includes(`#${sent.id}]`)),
      { timeoutMs: PATIENCE_MS },
    );
    expect(userText).toMatch(/\[message from: alice \([0-9a-f]{8}\) #\w{6}\]/u);
    expect(userText).toContain(text);
    const { message } = await stage.client.call("show", { id: sent.id });
    expect(message).toMatchObject({ from: "agent/alice", to: "agent/bob", source: "agent", body: text });
    await stage.reaches({ messageId: message.id }, "read");
    expect(await calls("message_status", { id: sent.id })).toMatchObject({
      deliveries: [{ to: "agent/bob", state: "read", evidence: "submitted" }],
    });
  });

  it("reads its inbox, and what it took does not come a second time", async () => {
    await stage.client.call("pause", { who: "alice", paused: true });
    const parcel = await stage.send("alice", "The parcel is here.");
    await stage.held(parcel, "paused");
    expect(await calls("inbox", { take: true })).toMatchObject({
      messages: [{ id: parcel.shortId, from: `person/${PERSON}`, text: "The parcel is here." }],
      more: false,
    });
    await stage.client.call("pause", { who: "alice", paused: false });
    expect(await stage.delivery(parcel)).toMatchObject({ state: "delivered", transport: "receive" });
    const answer = await calls<{ id: string }>("reply", { message_id: parcel.shortId, text: "Thank you." });
    expect((await stage.client.call("show", { id: answer.id })).message).toMatchObject({
      from: "agent/alice",
      to: `person/${PERSON}`,
      replyTo: parcel.messageId,
    });
    expect((await stage.delivery(parcel)).state).toBe("replied");
    expect(stage.copiesOf(parcel)).toBe(0);
  });

  it("speaks as the agent whose token it was given, by HTTP", async () => {
    const { port } = (await stage.client.call("status", {})).http;
    await stage.client.call("agent_add", { name: "carol" });
    const token = (await stage.bellhop.run(["agent", "token", "carol"])).stdout.trim();
    const config = join(stage.tmux.folder, "carol-mcp.json");
    const headers = { Authorization: `Bearer \${BELLHOP_TOKEN}` };
    const bellhop = { type: "http", url: `http://127.0.0.1:${port}/mcp`, headers };
    writeFileSync(config, JSON.stringify({ mcpServers: { bellhop } }));
    const model = await startFakeModel();
    try {
      const text = "This came by HTTP.";
      await stage.enter("elsewhere", {
        model,
        args: ["--mcp-config", config, "--allowedTools", "mcp__bellhop"],
        extraEnv: { BELLHOP_TOKEN: token },
      });
      await stage.send(
        "elsewhere",
        `[[tool mcp__bellhop__send_message ${JSON.stringify({ to: "bob", text })}]]`,
      );
      const { toolResults } = await model.waitForRequest(({ kind }) => kind === "tool_result", {
        timeoutMs: PATIENCE_MS,
      });
      const { id } = JSON.parse(toolResults.join("")) as { id: string };
      expect((await stage.client.call("show", { id })).message).toMatchObject({
        from: "agent/carol",
        body: text,
      });
    } finally {
      await model.close();
    }
  });

  it("is told what to do when nobody has that name", async () => {
    const { error } = await calls<{ error: object }>("send_message", { to: "bobb", text: "x" });
    expect(error).toMatchObject({
      code: "recipient.unknown",
      next: expect.stringMatching(/^Did you mean "bob"\? These are here: alice, bob/),
    });
  });
});
