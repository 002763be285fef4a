import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { isOver } from "./hosted-sleepers.ts";

let tmux: TmuxServer;
let bellhop: Bellhop;
const strangers: ChildProcess[] = [];

afterEach(async () => {
  for (const stranger of strangers.splice(0)) stranger.kill("SIGKILL");
  await bellhop.dispose();
  await tmux.kill();
});

const clients = async () =>
  (await tmux.run("list-clients", "-F", "#{client_pid}")).trim().split("\n").map(Number);

/** A control client like the daemon's, but one that nobody reads and that outlives its daemon. */
function attach(owner: string): number {
  const client = spawn(
    "tmux",
    ["-N", "-u", "-S", tmux.socket, "-C", "attach-session", "-E", "-f", "ignore-size,no-output"],
    {
      env: { PATH: process.env.PATH, TERM: "dumb", BELLHOP_TMUX_OWNER: owner },
      stdio: ["pipe", "ignore", "ignore"],
    },
  );
  strangers.push(client);
  return client.pid ?? 0;
}

describe("clients that a killed daemon left in tmux", () => {
  it("are ended by the next daemon of the same home, and nobody else's are", async () => {
    tmux = startTmuxServer();
    await startScriptedAgent({ tmux, name: "coder" });
    bellhop = new Bellhop({ config: `${SCRIPTED_PROFILE}\ntmux: { servers: ["${tmux.socket}"] }\n` });
    const ours = attach(bellhop.home);
    await until(async () => (await clients()).includes(ours), "our leftover to be attached");
    await sleep(200);
    const other = attach("/another/home");
    await until(async () => (await clients()).includes(other), "another home's client to be attached");
    await bellhop.start();
    await until(async () => !(await clients()).includes(ours), "our leftover to be gone");
    expect(await clients()).toContain(other);
  });

  it.each(["writes without end", "hangs"])(
    "end also where no daemon follows and tmux %s, and do not keep the server from ending",
    async (what) => {
      tmux = startTmuxServer();
      const { pane } = await startScriptedAgent({ tmux, name: "coder" });
      bellhop = new Bellhop({ config: `${SCRIPTED_PROFILE}\ntmux: { servers: ["${tmux.socket}"] }\n` });
      await bellhop.start();
      // One for commands, and one that listens to the session.
      await until(async () => (await clients()).length === 2, "both clients to be attached");
      const attached = await clients();
      const server = Number(await tmux.ask(pane, "#{pid}"));
      if (what === "hangs") process.kill(server, "SIGSTOP");
      else await tmux.run("split-window", "-d", "-t", pane, "yes");
      await bellhop.stop("SIGKILL");
      await until(() => attached.every(isOver), "the clients to have ended");
      if (what === "hangs") process.kill(server, "SIGCONT");
      await tmux.run("kill-server");
      await until(() => isOver(server), "the server to have ended");
    },
  );
});
