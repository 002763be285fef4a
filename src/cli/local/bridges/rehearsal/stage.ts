/** A daemon with a home of its own and two scripted agents, which is gone without a trace afterwards. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { stringify } from "yaml";
import { type Client, connect } from "../../../../client/connect.ts";
import { BellhopError } from "../../../../core/errors.ts";
import { LONGEST_SOCKET_PATH_BYTES } from "../../../../home/home.ts";
import type { CommandContext } from "../../../context.ts";
import { cancelled } from "../prompting.ts";

const LOOK_MS = 50;
const PATIENCE_MS = 60_000;
const STOP_WITHIN_MS = 10_000;
export const AGENTS = ["api", "web"] as const;
/** What makes the scripted agent ask is not part of the conversation. */
const STAGED = "[[";
/** What made it ask is then seen to have arrived, and does not stand before the answer. */
const WORKED_SECONDS = 1;
/** Of the person's environment, only what any program needs. */
const PASSED = ["PATH", "LANG", "LC_ALL", "TERM", "TMPDIR"];

/** What the daemon is configured with. */
export interface StageSettings {
  /** Where the person is told things, if anywhere. */
  readonly channel?: string;
  /** Of `bridges` in the config. */
  readonly section: Readonly<Record<string, unknown>>;
  /** By path in the home. */
  readonly secrets: Readonly<Record<string, string>>;
}

export class RehearsalStage {
  /** Gone afterwards, with everything in it. */
  readonly folder: string;
  readonly #context: CommandContext;
  readonly #signal: AbortSignal;
  readonly #agentFile: string;
  readonly #profileFile: string;
  readonly #env: Readonly<Record<string, string>>;
  #daemon: ChildProcess | undefined;
  #client: Client | undefined;

  /** Throws in one line what the package lacks. */
  constructor(context: CommandContext, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
    this.#agentFile = this.shipped("scripted-agent.mjs");
    this.#profileFile = this.shipped("scripted-agent.yaml");
    this.shipped(basename(context.daemonEntry));
    this.folder = freshFolder();
    const passed = PASSED.flatMap((name) => {
      const value = context.env[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    // Nothing of the person's own: neither their agents, nor their settings.
    this.#env = {
      ...Object.fromEntries(passed),
      HOME: this.folder,
      TMUX_TMPDIR: this.folder,
      BELLHOP_HOME: this.#home,
    };
  }

  get claims() {
    return { user: this.#context.claims().user };
  }

  get #home(): string {
    return homeIn(this.folder);
  }

  /** A file of the package, beside the daemon. */
  shipped(name: string): string {
    const file = join(dirname(this.#context.daemonEntry), name);
    if (existsSync(file)) return file;
    throw new BellhopError("file.missing", {
      message: `${file} is missing, so nothing can be rehearsed.`,
      next: "Install Bellhop again (in a checkout: npm run build).",
    });
  }

  async open({ channel, section, secrets }: StageSettings): Promise<void> {
    mkdirSync(join(this.#home, "secrets"), { recursive: true, mode: 0o700 });
    for (const [path, secret] of Object.entries(secrets))
      writeFileSync(join(this.#home, path), secret, { mode: 0o600 });
    const config = {
      http: { port: 0 },
      person: { channels: channel === undefined ? [] : [channel] },
      bridges: section,
    };
    writeFileSync(
      join(this.#home, "config.yaml"),
      `${stringify(config)}${readFileSync(this.#profileFile, "utf8")}`,
    );
    this.#launch();
    await this.until("the daemon", async () => (await this.#connected()) !== undefined);
    for (const name of AGENTS) await this.#start(name);
    await this.until("both agents", async () => {
      const { sessions } = await this.client.call("ls", {});
      return sessions.filter(({ readiness }) => readiness === "idle").length === AGENTS.length;
    });
    await this.until("the bridge", async () => {
      const { bridges } = await this.client.call("bridges", {});
      return bridges[0]?.state === "up";
    });
    await this.client.call("away", { mode: "on" });
  }

  /** The agent works for a moment, then asks for a permission, in its terminal. */
  async asksFor(agent: string, command: string): Promise<void> {
    await this.client.call("send", {
      to: agent,
      body: `${STAGED}menu ${WORKED_SECONDS} ${command}]]`,
      claims: this.claims,
    });
  }

  get client(): Client {
    if (this.#client === undefined) throw new Error("the stage is not open");
    return this.#client;
  }

  /** The prompts that an agent got, and the keys that answered its dialogs. */
  got(agent: string): readonly string[] {
    const log = this.#log(agent);
    const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n").slice(0, -1) : [];
    return lines.flatMap((line) => {
      const { prompt, answered } = JSON.parse(line) as {
        readonly prompt?: string;
        readonly answered?: string;
      };
      if (answered !== undefined) return `(the key ${answered})`;
      return prompt === undefined || prompt.includes(STAGED) ? [] : prompt;
    });
  }

  async until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = this.#context.now() + PATIENCE_MS;
    while (!(await isSo())) {
      if (this.#hasEnded) throw daemonEnded();
      if (this.#context.now() > deadline)
        throw new BellhopError("wait.timed_out", {
          message: `The rehearsal waited in vain for ${what}.`,
          next: "Try it again when the machine has less to do.",
        });
      await this.#context.pause(LOOK_MS, this.#signal);
      this.goOn();
    }
  }

  /** Throws if nobody is there any more to see the rest. */
  goOn(): void {
    if (this.#signal.aborted) throw cancelled();
  }

  /** Ends everything that runs. The agents outlive a daemon, so one that was killed is started once more for that. */
  async end(): Promise<void> {
    if (this.#client !== undefined && this.#hasEnded) await this.#again().catch(() => {});
    if (this.#client !== undefined) {
      const { sessions } = await this.client.call("ls", {}).catch(() => ({ sessions: [] }));
      const stops = sessions.map(({ id }) => this.client.call("session_stop", { who: id, graceMs: 0 }));
      await Promise.allSettled(stops);
      this.client.close();
    }
    const daemon = this.#daemon;
    if (daemon !== undefined && !this.#hasEnded) {
      const ended = once(daemon, "exit");
      daemon.kill();
      const timer = setTimeout(() => daemon.kill("SIGKILL"), STOP_WITHIN_MS);
      await ended;
      clearTimeout(timer);
    }
  }

  clear(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #hasEnded(): boolean {
    return this.#daemon !== undefined && (this.#daemon.exitCode !== null || this.#daemon.signalCode !== null);
  }

  #launch(): void {
    // In a group of its own: Ctrl+C is for us, and we end it properly.
    const daemon = spawn(process.execPath, [this.#context.daemonEntry], {
      env: this.#env,
      stdio: "ignore",
      detached: true,
    });
    daemon.on("error", () => {});
    this.#daemon = daemon;
  }

  async #again(): Promise<void> {
    this.#client?.close();
    this.#client = undefined;
    this.#launch();
    const deadline = this.#context.now() + STOP_WITHIN_MS;
    while ((await this.#connected()) === undefined && this.#context.now() < deadline)
      await this.#context.pause(LOOK_MS, new AbortController().signal);
  }

  /** What is said of a daemon that is gone would send the person to their own. */
  explained(error: unknown): unknown {
    return this.#hasEnded && !this.#signal.aborted ? daemonEnded() : error;
  }

  async #connected(): Promise<Client | undefined> {
    if (this.#hasEnded) throw daemonEnded();
    const client = await connect(socketIn(this.#home)).catch(() => undefined);
    const isReady = await client?.call("status", {}).then(
      () => true,
      () => false,
    );
    if (isReady === true) this.#client = client;
    else client?.close();
    return this.#client;
  }

  async #start(name: string): Promise<void> {
    const folder = join(this.folder, name);
    mkdirSync(folder);
    await this.client.call("run", {
      command: [process.execPath, this.#agentFile, "--name", name, "--log", this.#log(name)],
      name,
      folder,
      environment: this.#env,
      claims: this.claims,
    });
  }

  #log(agent: string): string {
    return join(this.folder, `${agent}.jsonl`);
  }
}

function homeIn(folder: string): string {
  return join(folder, "home");
}

/** No other socket of a rehearsal has a longer path. */
function socketIn(home: string): string {
  return join(home, "run", "bellhop.sock");
}

function freshFolder(): string {
  const place = resolve(tmpdir());
  let folder: string;
  try {
    folder = mkdtempSync(join(place, "bh-rehearsal-"));
  } catch (cause) {
    throw new BellhopError("file.missing", {
      message: `Nothing can be written in ${place}, where a rehearsal keeps its files.`,
      next: "Set TMPDIR to a folder that you can write to.",
      cause,
    });
  }
  if (Buffer.byteLength(socketIn(homeIn(folder))) <= LONGEST_SOCKET_PATH_BYTES) return folder;
  rmSync(folder, { recursive: true, force: true });
  throw new BellhopError("home.path_too_long", {
    message: `The path ${place} is too long for the sockets of a rehearsal.`,
    next: "Set TMPDIR to a folder with a shorter path, such as /tmp.",
  });
}

function daemonEnded(): BellhopError {
  return new BellhopError("daemon.start_failed", {
    message: "The daemon of the rehearsal has ended.",
    next: "Try it again. Your own daemon is another one and runs on.",
  });
}
