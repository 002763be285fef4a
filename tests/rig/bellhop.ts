import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Client, connect } from "../../src/client/connect.ts";
import type { RunResponse } from "../../src/wire/shapes/sessions.ts";
import type { RequestOf, ResponseOf, Verb } from "../../src/wire/verbs/index.ts";
import { endHosts } from "./hosts.ts";
import type { Machine } from "./machines.ts";
import { removeFolder } from "./remove-folder.ts";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export interface CliOptions {
  /** In addition to this Bellhop's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** The whole environment instead. */
  readonly only?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface BellhopOptions {
  /** Written to config.yaml; the HTTP port is always a free one. */
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A built checkout; by default this one. */
  readonly build?: string;
  /** Where its daemon and its commands run; by default here. */
  readonly machine?: Machine;
}

/** A separate Bellhop with its own home, config, daemon and command line. Leaves nothing running. */
export interface DetachedOptions {
  readonly name: string;
  readonly folder: string;
  readonly options?: readonly string[];
}

export class Bellhop {
  readonly home: string;
  readonly env: Record<string, string>;
  readonly #cli: string;
  readonly #daemonFile: string;
  readonly #machine: Machine | undefined;
  #daemon: ChildProcess | undefined;
  #clients: Client[] = [];
  #asking: Promise<Client> | undefined;

  constructor(options: BellhopOptions = {}) {
    this.home = mkdtempSync(join(tmpdir(), "bh-"));
    writeFileSync(join(this.home, "config.yaml"), `http: { port: 0 }\n${options.config ?? ""}`);
    const inherited = Object.fromEntries(
      Object.entries(process.env).filter(([name, value]) => value !== undefined && !LEAKING.test(name)),
    ) as Record<string, string>;
    this.env = { ...inherited, ...options.env, BELLHOP_HOME: this.home };
    this.#machine = options.machine;
    this.#cli = join(options.build ?? root, "bin", "bellhop.cjs");
    const [newest, older] = ["start-daemon.cjs", "daemon.mjs"].map((name) =>
      join(options.build ?? root, "dist", name),
    ) as [string, string];
    // The bench compares with older builds.
    this.#daemonFile = existsSync(newest) ? newest : older;
  }

  /** The command line as a user starts it in their own terminal. */
  get command(): readonly string[] {
    return [process.execPath, this.#cli];
  }

  get socket(): string {
    return join(this.home, "run", "bellhop.sock");
  }

  /** The daemon as a child, so that a test can kill it; resolves when it answers. */
  async start(extra: Readonly<Record<string, string>> = {}): Promise<ChildProcess> {
    mkdirSync(join(this.home, "logs"), { recursive: true, mode: 0o700 });
    const [command, args] = this.#onMachine([this.#daemonFile]);
    const child = spawn(command, args, {
      env: { ...this.env, ...extra },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#daemon = child;
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    for (;;) {
      if (child.exitCode !== null || child.signalCode !== null) {
        if (extra.BELLHOP_TEST_CRASH_AT !== undefined) return child;
        throw new Error(`the daemon ended: ${said}`);
      }
      if (existsSync(this.socket) && (await this.#answers())) return child;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  async #answers(): Promise<boolean> {
    try {
      const client = await connect(this.socket);
      await client.call("status", {});
      client.close();
      return true;
    } catch {
      return false;
    }
  }

  async client(): Promise<Client> {
    const client = await connect(this.socket);
    this.#clients.push(client);
    return client;
  }

  /** For who looks again and again: on one connection, because a command takes a tenth of a second of a core. */
  async ask<V extends Verb>(verb: V, request: RequestOf<V>): Promise<ResponseOf<V>> {
    this.#asking ??= this.client();
    try {
      return await (await this.#asking).call(verb, request);
    } catch (error) {
      // The daemon may have been started again.
      this.#asking = undefined;
      throw error;
    }
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    for (const client of this.#clients.splice(0)) client.close();
    this.#asking = undefined;
    const child = this.#daemon;
    this.#daemon = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  run(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
    return new Promise((resolve, reject) => {
      const [command, all] = this.#onMachine([this.#cli, ...args]);
      const child = spawn(command, all, {
        env: options.only ?? { ...this.env, ...options.env },
        stdio: ["pipe", "pipe", "pipe"],
      });
      let stdout = "";
      let stderr = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
      });
      // A command that refuses early does not read its input.
      child.stdin.on("error", () => undefined);
      child.on("error", reject);
      child.on("close", (code) => resolve({ code: code ?? -1, stdout, stderr }));
      child.stdin.end(options.stdin ?? "");
    });
  }

  #onMachine(args: readonly string[]): readonly [string, readonly string[]] {
    return this.#machine?.enter(process.execPath, args) ?? [process.execPath, args];
  }

  /** A program in a hosted terminal, in the background. */
  runDetached(
    command: readonly string[],
    { name, folder, options = [] }: DetachedOptions,
  ): Promise<RunResponse> {
    return this.json(["run", "--detach", "--name", name, "--cwd", folder, ...options, "--", ...command]);
  }

  /** Runs a command that must succeed; returns its JSON. */
  async json<T>(args: readonly string[], options: CliOptions = {}): Promise<T> {
    const programAt = args.includes("--") ? args.indexOf("--") : args.length;
    const result = await this.run([...args.slice(0, programAt), "--json", ...args.slice(programAt)], options);
    if (result.code !== 0)
      throw new Error(`bellhop ${args.join(" ")} → ${result.code}\n${result.stderr}${result.stdout}`);
    return JSON.parse(result.stdout) as T;
  }

  log(): string {
    const path = join(this.home, "logs", "bellhop.log");
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }

  /** Once the programs in its terminals have ended: their hooks write into this home. */
  async dispose(): Promise<void> {
    await this.stop();
    // Our daemon removes its socket. A socket that is still there belongs to a daemon that a command has started.
    if (existsSync(this.socket)) await this.run(["down"]).catch(() => undefined);
    endHosts(this.home);
    removeFolder(this.home);
  }
}

/** A folder with the built `bellhop` in it, for an agent's PATH. */
export function bellhopOnPath(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "bellhop"),
    `#!/bin/sh\nexec ${process.execPath} ${join(root, "bin", "bellhop.cjs")} "$@"\n`,
    {
      mode: 0o755,
    },
  );
  return folder;
}

const LEAKING =
  /^(TMUX|TMUX_PANE|BELLHOP_.*|CLAUDE.*|CODEX.*|GEMINI.*|OPENCODE.*|NODE_EXTRA_CA_CERTS|VITEST.*)$/;
