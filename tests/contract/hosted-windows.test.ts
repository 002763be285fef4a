/** `run --tmux` and what Bellhop leaves to tmux: the built command line and a daemon beside a real tmux server. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunResponse } from "../../src/wire/shapes/sessions.ts";
import { SCRIPTED_PROFILE, scriptedCommand, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { errorOf, hostedStage } from "./hosted-stage.ts";

const stage = hostedStage();

const { listed } = stage;

describe("with tmux", () => {
  let tmux: TmuxServer;
  beforeEach(() => {
    tmux = startTmuxServer();
  });
  afterEach(() => tmux.kill());

  /** The daemon takes up a changed file by itself. */
  async function looksThere(): Promise<void> {
    writeFileSync(
      join(stage.bellhop.home, "config.yaml"),
      `http: { port: 0 }\ntmux: { servers: ["${tmux.socket}"] }\n${SCRIPTED_PROFILE}`,
    );
    const servers = async () => (await (await stage.bellhop.client()).call("diagnose", {})).servers;
    await until(async () => (await servers()).some(({ name }) => name === tmux.socket), "the tmux server");
  }

  it("an agent there is left to tmux: attach, stop and restart say so", async () => {
    await startScriptedAgent({ tmux, name: "api" });
    await looksThere();
    await until(async () => (await stage.bellhop.ask("ls", {})).sessions.length === 1, "the agent in tmux");
    for (const command of ["stop", "restart"]) {
      const refused = await stage.bellhop.run([command, "api", "--json"]);
      expect([errorOf(refused).code, refused.code]).toEqual(["terminal.not_hosted", 1]);
    }
    const lines = await stage.bellhop.json<{ screen: string }>(["output", "api", "--lines", "5"]);
    expect(lines.screen).toContain(">");
  });

  it("run --tmux opens a window there, whose program is seen, and which stays when it ends", async () => {
    await looksThere();
    const pane = await tmux.newSession({ name: "mine", command: ["sleep", "600"], cwd: stage.folder });
    const env = { TMUX: `${tmux.socket},1,0`, TMUX_PANE: pane };
    const log = join(stage.folder, "web.jsonl");
    const started = await stage.bellhop.json<RunResponse>(
      ["run", "--tmux", "--name", "web", "--cwd", stage.folder, "--", ...scriptedCommand("web", log)],
      { env },
    );
    expect(started).toMatchObject({ agent: "web", terminal: { kind: "tmux", server: tmux.socket } });
    expect(started).not.toHaveProperty("note");
    expect(await listed()).toMatchObject([{ agent: "web", id: started.sessionId, program: "scripted" }]);
    const window = started.terminal.pane ?? "";
    await tmux.run("send-keys", "-t", window, "[[exit]]", "Enter");
    await until(
      async () => (await tmux.ask(window, "#{pane_dead}")) === "1",
      "the window to be dead and there",
    );
  });

  it("run --tmux of a program that nobody knows says that it will not be seen", async () => {
    await looksThere();
    const pane = await tmux.newSession({ name: "mine", command: ["sleep", "600"], cwd: stage.folder });
    const env = { TMUX: `${tmux.socket},1,0`, TMUX_PANE: pane };
    const ran = await stage.bellhop.run(["run", "--tmux", "--name", "odd", "--", "sleep", "600"], { env });
    expect(ran).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"odd" runs as session'),
      stderr: expect.stringContaining("Bellhop does not see it there"),
    });
  });

  it("run --tmux in a server that nobody looks at is refused, and leaves nothing", async () => {
    const pane = await tmux.newSession({ name: "mine", command: ["sleep", "600"], cwd: stage.folder });
    const env = { TMUX: `${tmux.socket},1,0`, TMUX_PANE: pane };
    const refused = await stage.bellhop.run(["run", "--json", "--tmux", "--", "sleep", "600"], { env });
    expect(errorOf(refused).next).toContain("servers");
    expect(refused.code).toBe(2);
    expect(await stage.bellhop.json(["agent", "list"])).toEqual([]);
    expect(await listed("--all")).toEqual([]);
  });

  it("run --tmux where no server runs starts one", async () => {
    const ran = await stage.bellhop.run(["run", "--tmux", "--name", "first", "--", "sleep", "600"], {
      env: { TMUX: "" },
    });
    const socket = join(stage.folder, `tmux-${process.getuid?.() ?? 0}`, "default");
    try {
      expect(ran.stdout).toContain(`tmux -S ${socket} attach`);
      expect(ran.code).toBe(0);
    } finally {
      execFileSync("tmux", ["-S", socket, "kill-session", "-t", "bellhop"]);
    }
  });
});
