import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { constants, mkdirSync, openSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../../src/client/connect.ts";
import { Bellhop } from "../../tests/rig/bellhop.ts";
import { SCRIPTED_PROFILE, scriptedCommand } from "../../tests/rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../../tests/rig/tmux-server.ts";

const DEADLINE_MS = 30_000;
const LENGTH = 188;
const USER = "bench";

/** What other tools run: two processes per message, started from a script. */
const TWO_SPAWNS = `tmux -S "$1" send-keys -t "$2" -l "$3"
tmux -S "$1" send-keys -t "$2" Enter
`;

export interface BenchAgent {
  readonly name: string;
  readonly pane: string;
}

/** A daemon with scripted agents in a private tmux server; every prompt they read is told at once. */
export class DaemonStage {
  readonly bellhop: Bellhop;
  readonly client: Client;
  readonly daemonPid: number;
  readonly agents: readonly BenchAgent[];
  readonly #tmux: TmuxServer;
  readonly #script: string;
  readonly #prompts: PromptPipe;
  #sent = 0;

  private constructor(parts: {
    readonly bellhop: Bellhop;
    readonly client: Client;
    readonly daemonPid: number;
    readonly agents: readonly BenchAgent[];
    readonly tmux: TmuxServer;
    readonly script: string;
    readonly prompts: PromptPipe;
  }) {
    this.bellhop = parts.bellhop;
    this.client = parts.client;
    this.daemonPid = parts.daemonPid;
    this.agents = parts.agents;
    this.#tmux = parts.tmux;
    this.#script = parts.script;
    this.#prompts = parts.prompts;
  }

  static async open(agentCount: number): Promise<DaemonStage> {
    const tmux = startTmuxServer();
    const prompts = new PromptPipe(join(tmux.folder, "prompts"));
    const script = join(tmux.folder, "two-spawns.sh");
    writeFileSync(script, TWO_SPAWNS);
    const agents: BenchAgent[] = [];
    for (let index = 0; index < agentCount; index += 1) {
      const name = `agent-${index}`;
      const cwd = join(tmux.folder, name);
      mkdirSync(cwd);
      const pane = await tmux.newSession({ name, command: scriptedCommand(name, prompts.path), cwd });
      agents.push({ name, pane });
    }
    const bellhop = new Bellhop({
      config: `tmux: { servers: ["${tmux.socket}"] }\n${SCRIPTED_PROFILE}`,
      // Nobody's own tmux server, and nobody's own agents.
      env: { TMUX_TMPDIR: tmux.folder, HOME: tmux.folder },
    });
    // As everyone starts it: what the command line does for the daemon counts.
    const { pid } = await bellhop.json<{ pid: number }>(["up"]);
    const client = await bellhop.client();
    const stage = new DaemonStage({ bellhop, client, daemonPid: pid, agents, tmux, script, prompts });
    await stage.allIdle();
    return stage;
  }

  /** Until every agent is there, and Bellhop takes each for idle. */
  async allIdle(): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS;
    for (;;) {
      const { sessions } = await this.client.call("ls", {});
      const idle = sessions.filter(({ readiness, queued }) => readiness === "idle" && queued === 0);
      if (idle.length === this.agents.length) return;
      if (performance.now() > deadline) {
        throw new Error(`only ${idle.length} of ${this.agents.length} agents became idle`);
      }
      await sleep(200);
    }
  }

  /** From the call on a standing connection until the agent has read the prompt, in milliseconds. */
  async sendByClient(agent: BenchAgent): Promise<number> {
    const { body, read } = this.#newText();
    const start = performance.now();
    await this.client.call("send", { to: agent.name, body, claims: { user: USER } });
    return (await read) - start;
  }

  async sendByTwoSpawns(agent: BenchAgent): Promise<number> {
    const { body, read } = this.#newText();
    const start = performance.now();
    const child = spawn("sh", [this.#script, this.#tmux.socket, agent.pane, body], {
      stdio: ["ignore", "ignore", "inherit"],
      timeout: DEADLINE_MS,
    });
    const exited = once(child, "exit");
    const end = await read;
    await exited;
    return end - start;
  }

  #newText(): { readonly body: string; readonly read: Promise<number> } {
    this.#sent += 1;
    const mark = `bench ${this.#sent} `;
    return { body: mark.padEnd(LENGTH, "the quick brown fox "), read: this.#prompts.next(mark) };
  }

  async close(): Promise<void> {
    await this.bellhop.dispose();
    this.#prompts.close();
    await this.#tmux.kill();
  }
}

/** The agents' log as a pipe: a line is here as soon as it is written. */
class PromptPipe {
  readonly path: string;
  readonly #socket: Socket;
  readonly #waiting = new Map<string, (at: number) => void>();

  constructor(path: string) {
    this.path = path;
    execFileSync("mkfifo", [path], { timeout: 5_000 });
    // Both ways: without a writer of our own the pipe would end whenever the last agent closes it.
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    this.#socket = new Socket({ fd, readable: true, writable: false });
    createInterface({ input: this.#socket }).on("line", (line) => {
      const at = performance.now();
      const mark = /bench \d+ /.exec(line)?.[0];
      if (mark === undefined) return;
      this.#waiting.get(mark)?.(at);
      this.#waiting.delete(mark);
    });
  }

  next(mark: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`"${mark}" was never read`)), DEADLINE_MS);
      this.#waiting.set(mark, (at) => {
        clearTimeout(timer);
        resolve(at);
      });
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
