import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../../src/client/connect.ts";
import { Bellhop } from "../../tests/rig/bellhop.ts";
import { startTmuxServer, type TmuxServer } from "../../tests/rig/tmux-server.ts";

const WINDOWS_PER_SESSION = 25;
const DEADLINE_MS = 180_000;

/** It shows a prompt and waits: a megabyte each, so that there may be hundreds. */
const AGENT = `printf '> '
while read -r line; do printf '> '; done
`;

const PROFILE = `profiles:
  - name: waiting
    match: { command: waiting-agent }
    composer: { prompt: "^> " }
`;

/** A daemon and many agents that do nothing, in a private tmux server. */
export class PanesStage {
  readonly panes: number;
  readonly bellhop: Bellhop;
  readonly client: Client;
  readonly #pid: number;
  readonly #tmux: TmuxServer;

  private constructor(panes: number, bellhop: Bellhop, client: Client, pid: number, tmux: TmuxServer) {
    this.panes = panes;
    this.bellhop = bellhop;
    this.client = client;
    this.#pid = pid;
    this.#tmux = tmux;
  }

  static async open(panes: number): Promise<PanesStage> {
    const tmux = startTmuxServer();
    const script = join(tmux.folder, "waiting-agent");
    // On a busy machine, hundreds of them do not end as soon as their server.
    tmux.expectDetached(/waiting-agent/);
    writeFileSync(script, AGENT);
    const bellhop = new Bellhop({
      config: `tmux: { servers: ["${tmux.socket}"] }\n${PROFILE}`,
      // Nobody's own tmux server, and nobody's own agents.
      env: { TMUX_TMPDIR: tmux.folder, HOME: tmux.folder },
    });
    const { pid } = await bellhop.json<{ pid: number }>(["up"]);
    const stage = new PanesStage(panes, bellhop, await bellhop.client(), pid, tmux);
    for (let made = 0; made < panes; made += WINDOWS_PER_SESSION) {
      const name = `work-${made}`;
      const windows = Math.min(WINDOWS_PER_SESSION, panes - made);
      const more = Array.from({ length: windows - 1 }, () => [";", "new-window", "-d", "-t", name]);
      const all = [["new-session", "-d", "-s", name], ...more];
      await tmux.run(...all.flatMap((command) => [...command, "-c", tmux.folder, "sh", script]));
    }
    await stage.#allIdle();
    return stage;
  }

  async #allIdle(): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS;
    for (;;) {
      // A list looks first; to count costs nobody anything.
      const { sessions: found } = await this.client.call("status", {});
      const { sessions } = found < this.panes ? { sessions: [] } : await this.client.call("ls", {});
      const idle = sessions.filter(({ readiness }) => readiness === "idle").length;
      if (idle === this.panes) return;
      if (performance.now() > deadline) throw new Error(`only ${found} came and ${idle} became idle`);
      await sleep(1_000);
    }
  }

  /** Undefined where the kernel does not count it finely enough. */
  daemonCpuMs(): number | undefined {
    const tasks = `/proc/${this.#pid}/task`;
    if (!existsSync("/proc/self/schedstat")) return undefined;
    const spent = readdirSync(tasks).map((task) =>
      Number(readFileSync(join(tasks, task, "schedstat"), "utf8").split(" ")[0]),
    );
    return spent.reduce((sum, nanoseconds) => sum + nanoseconds / 1e6, 0);
  }

  async close(): Promise<void> {
    await this.bellhop.dispose();
    await this.#tmux.kill();
  }
}
