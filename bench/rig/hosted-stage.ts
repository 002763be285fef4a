import { spawn as spawnProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import type { GateExpectation } from "../../src/ports/terminal.ts";
import { processesOn } from "../../src/processes/processes.ts";
import { systemClock } from "../../src/system/clock.ts";
import { HostLink } from "../../src/terminals/pty/host-link.ts";
import { hostedTerminal } from "../../src/terminals/pty/terminal.ts";
import { endHosts, hostRecords } from "../../tests/rig/hosts.ts";
import { scriptedCommand } from "../../tests/rig/scripted-agent.ts";
import { BENCH_CLAIMS, type DaemonStage } from "./daemon-stage.ts";
import { EchoPane } from "./echo-pane.ts";
import { STROKES, TEXT } from "./tmux-stage.ts";

const FLOOR = fileURLToPath(new URL("./floor-host.mjs", import.meta.url));
const processes = processesOn(process.platform);

/** A program that reports what it reads, and when; and one way to type into it. */
export interface EchoTarget {
  readonly echo: EchoPane;
  inject(): Promise<void>;
}

/** Hosted terminals next to a daemon's tmux panes, with the same programs in both. */
export class HostedStage {
  readonly #stage: DaemonStage;
  readonly #echoes: number;
  readonly #closers: (() => unknown)[] = [];
  readonly agents: { readonly name: string }[] = [];
  #started = 0;

  /** So many programs of each kind that report what they read. */
  constructor(stage: DaemonStage, echoes: number) {
    this.#stage = stage;
    this.#echoes = echoes;
  }

  get sessions(): number {
    return hostRecords(this.#stage.bellhop.home).length;
  }

  hostPids(): readonly number[] {
    return hostRecords(this.#stage.bellhop.home).map(({ hostPid }) => hostPid);
  }

  /** From the request until the program has started, in milliseconds. */
  async startHosted(): Promise<number> {
    const { prompts } = this.#stage;
    const name = this.#nextName("hosted");
    const start = performance.now();
    const started = prompts.nextStart();
    await this.#run(name, scriptedCommand(name, prompts.path));
    this.agents.push({ name });
    return (await started) - start;
  }

  /** The same program, started by a separate tmux process. */
  async startInTmux(): Promise<number> {
    const { prompts, tmux } = this.#stage;
    const name = this.#nextName("pane");
    const start = performance.now();
    const started = prompts.nextStart();
    await tmux.newSession({ name, command: scriptedCommand(name, prompts.path), cwd: tmux.folder });
    this.#closers.push(() => tmux.run("kill-session", "-t", name));
    return (await started) - start;
  }

  /** Through the host's gate, as the daemon uses it. */
  async hostedEchoes(): Promise<readonly EchoTarget[]> {
    const targets: EchoTarget[] = [];
    while (targets.length < this.#echoes) {
      const name = this.#nextName("echo");
      const { folder } = this.#stage.tmux;
      const echo = await EchoPane.start(folder, name, (command) => this.#run(name, command));
      const record = hostRecords(this.#stage.bellhop.home).find(({ sessionId }) => sessionId === echo.pane);
      if (record === undefined) throw new Error(`${name} has no host`);
      const link = new HostLink(record, systemClock);
      this.#closers.push(
        () => link.close(),
        () => echo.close(),
      );
      const terminal = hostedTerminal({ kind: "pty", server: "pty", pane: echo.pane }, link, {
        identity: { pid: record.programPid, startedAt: record.programStartedAt },
        standing: () =>
          processes.standing(
            { pid: record.programPid, startedAt: record.programStartedAt },
            record.programPid,
          ),
      });
      const expectation: GateExpectation = {
        panePid: record.programPid,
        alternate: true,
        cursorHidden: true,
        quietForMs: 2_000,
      };
      targets.push({
        echo,
        async inject() {
          const outcome = await terminal.gate(expectation, STROKES);
          if (outcome.kind !== "sent") throw new Error(`the gate held: ${JSON.stringify(outcome)}`);
        },
      });
    }
    return targets;
  }

  /** The least that a hosted terminal costs: see `floor-host.mjs`. */
  async floorEchoes(): Promise<readonly EchoTarget[]> {
    const targets: EchoTarget[] = [];
    while (targets.length < this.#echoes) {
      const name = this.#nextName("floor");
      const place = join(this.#stage.tmux.folder, `${name}.host`);
      const echo = await EchoPane.start(this.#stage.tmux.folder, name, async (command) => {
        const child = spawnProcess(process.execPath, [FLOOR, place, ...command], {
          stdio: ["ignore", "pipe", "inherit"],
        });
        this.#closers.push(() => child.kill("SIGKILL"));
        await once(child.stdout, "data");
        return "floor";
      });
      const socket = connect(place);
      await once(socket, "connect");
      this.#closers.push(
        () => socket.destroy(),
        () => echo.close(),
      );
      targets.push({
        echo,
        async inject() {
          socket.write(`${TEXT}\r`);
          const [answer] = (await once(socket, "data")) as [Buffer];
          if (answer.toString() !== "sent") throw new Error(`the floor held: ${answer}`);
        },
      });
    }
    return targets;
  }

  /** The lower bound: we own the program's PTY, and nothing is checked. */
  async rawEchoes(): Promise<readonly EchoTarget[]> {
    const targets: EchoTarget[] = [];
    while (targets.length < this.#echoes) {
      let write = (_: string): void => {};
      const { folder } = this.#stage.tmux;
      const echo = await EchoPane.start(folder, this.#nextName("raw"), async ([file = "", ...args]) => {
        const pty = spawn(file, args, { cols: 120, rows: 40, encoding: null });
        pty.onData(() => {});
        this.#closers.push(() => pty.kill("SIGKILL"));
        write = (text) => pty.write(text);
        return "raw";
      });
      this.#closers.push(() => echo.close());
      targets.push({ echo, inject: async () => write(`${TEXT}\r`) });
    }
    return targets;
  }

  /** What other tools do. */
  async tmuxEchoes(type: (pane: string) => Promise<void>): Promise<readonly EchoTarget[]> {
    const targets: EchoTarget[] = [];
    while (targets.length < this.#echoes) {
      const name = this.#nextName("pane");
      const echo = await EchoPane.open(this.#stage.tmux, name);
      this.#closers.push(() => echo.close());
      targets.push({ echo, inject: () => type(echo.pane) });
    }
    return targets;
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0)) await close();
    endHosts(this.#stage.bellhop.home);
  }

  async #run(name: string, command: readonly string[]): Promise<string> {
    const folder = join(this.#stage.tmux.folder, `${name}.d`);
    mkdirSync(folder);
    const { sessionId } = await this.#stage.client.call(
      "run",
      { name, command, folder, environment: this.#stage.bellhop.env, claims: BENCH_CLAIMS },
      { timeoutMs: 30_000 },
    );
    return sessionId;
  }

  #nextName(kind: string): string {
    this.#started += 1;
    return `${kind}-${this.#started}`;
  }
}
