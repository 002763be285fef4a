import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../../src/client/connect.ts";
import { Bellhop } from "../../tests/rig/bellhop.ts";
import { SCRIPTED_PROFILE, scriptedCommand } from "../../tests/rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../../tests/rig/tmux-server.ts";
import { PromptPipe } from "./prompt-pipe.ts";

const DEADLINE_MS = 30_000;
const LENGTH = 188;

/** What other tools run: two processes per message, started from a script. */
const TWO_SPAWNS = `tmux -S "$1" send-keys -t "$2" -l "$3"
tmux -S "$1" send-keys -t "$2" Enter
`;

export interface BenchAgent {
  readonly name: string;
  readonly pane: string;
}

export const BENCH_CLAIMS = { user: "bench" } as const;

export interface StageOptions {
  /** Another built checkout. */
  readonly build?: string;
  /** Resolves with its process id. */
  readonly start?: (bellhop: Bellhop) => Promise<number>;
}

/** As users start it: what the command line does for the daemon counts too. */
const up = async (bellhop: Bellhop): Promise<number> =>
  (await bellhop.json<{ readonly pid: number }>(["up"])).pid;

/** A daemon with scripted agents in a private tmux server, which report every prompt as soon as they read it. */
export class DaemonStage {
  readonly bellhop: Bellhop;
  readonly client: Client;
  readonly daemonPid: number;
  readonly agents: readonly BenchAgent[];
  readonly tmux: TmuxServer;
  readonly prompts: PromptPipe;
  readonly #script: string;
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
    this.tmux = parts.tmux;
    this.#script = parts.script;
    this.prompts = parts.prompts;
  }

  static async open(agentCount: number, { build, start = up }: StageOptions = {}): Promise<DaemonStage> {
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
      // Separate from the user's own tmux server and agents.
      env: { TMUX_TMPDIR: tmux.folder, HOME: tmux.folder },
      ...(build === undefined ? {} : { build }),
    });
    const daemonPid = await start(bellhop);
    const client = await bellhop.client();
    const stage = new DaemonStage({ bellhop, client, daemonPid, agents, tmux, script, prompts });
    await stage.allIdle();
    return stage;
  }

  /** Waits until all of them are there, and idle according to Bellhop. */
  async allIdle(agents: readonly Pick<BenchAgent, "name">[] = this.agents): Promise<void> {
    const names = new Set(agents.map(({ name }) => name));
    const deadline = performance.now() + DEADLINE_MS;
    for (;;) {
      const { sessions } = await this.client.call("ls", {});
      const idle = sessions.filter(
        ({ agent, readiness, queued }) => names.has(agent) && readiness === "idle" && queued === 0,
      );
      if (idle.length === names.size) return;
      if (performance.now() > deadline) {
        throw new Error(`only ${idle.length} of ${names.size} agents became idle`);
      }
      await sleep(200);
    }
  }

  /** From the call on an open connection until the agent has read the prompt, in milliseconds. */
  async sendByClient(agent: Pick<BenchAgent, "name">): Promise<number> {
    const { body, read } = this.newText();
    const start = performance.now();
    await this.client.call("send", { to: agent.name, body, claims: BENCH_CLAIMS });
    return (await read) - start;
  }

  async sendByTwoSpawns(agent: BenchAgent): Promise<number> {
    const { body, read } = this.newText();
    const start = performance.now();
    const child = spawn("sh", [this.#script, this.tmux.socket, agent.pane, body], {
      stdio: ["ignore", "ignore", "inherit"],
      timeout: DEADLINE_MS,
    });
    const exited = once(child, "exit");
    const end = await read;
    await exited;
    return end - start;
  }

  newText(): { readonly body: string; readonly read: Promise<number> } {
    this.#sent += 1;
    const mark = `bench ${this.#sent} `;
    return { body: mark.padEnd(LENGTH, "the quick brown fox "), read: this.prompts.next(mark) };
  }

  async close(): Promise<void> {
    await this.bellhop.dispose();
    this.prompts.close();
    await this.tmux.kill();
  }
}
