/** A real NATS with JetStream, a node on each of some machines; together they are one cluster. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Machine } from "./machines.ts";
import { removeFolder } from "./remove-folder.ts";
import { until } from "./scripted-agent.ts";

const CLIENTS = 4_222;
const ROUTES = 6_222;
const MONITOR = 8_222;
const PATIENCE_MS = 180_000;

export class NatsNode {
  readonly machine: Machine;
  readonly #folder: string;
  readonly #config: string;
  #server: ChildProcess | undefined;

  constructor(machine: Machine, all: readonly Machine[], folder: string) {
    this.machine = machine;
    this.#folder = join(folder, machine.name);
    this.#config = join(this.#folder, "nats.conf");
    mkdirSync(this.#folder, { recursive: true });
    const routes = all.map(({ address }) => `"nats://${address}:${ROUTES}"`).join(", ");
    const cluster =
      all.length === 1
        ? ""
        : `cluster { name: rig, listen: "${machine.address}:${ROUTES}", routes: [${routes}] }\n`;
    writeFileSync(
      this.#config,
      `server_name: ${machine.name}
listen: "${machine.address}:${CLIENTS}"
http: "127.0.0.1:${MONITOR}"
jetstream { store_dir: "${join(this.#folder, "store")}" }
ping_interval: "3s"
${cluster}`,
    );
  }

  get url(): string {
    return `nats://${this.machine.address}:${CLIENTS}`;
  }

  start(): void {
    this.#server = this.machine.spawn("nats-server", ["--config", this.#config], {
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
      stdio: "ignore",
    });
  }

  /** Whether JetStream works there: it has a leader, and knows all nodes. */
  async isReady(): Promise<boolean> {
    const ask = `fetch("http://127.0.0.1:${MONITOR}/healthz").then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))`;
    return this.machine.run(process.execPath, ["-e", ask]).then(
      () => true,
      () => false,
    );
  }

  /** It keeps its connections, and says nothing. */
  freeze(isFrozen: boolean): void {
    this.#server?.kill(isFrozen ? "SIGSTOP" : "SIGCONT");
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, "exit");
    server.kill(signal);
    await gone;
  }
}

export class NatsOnMachines {
  readonly nodes: readonly NatsNode[];
  readonly #folder: string;

  private constructor(machines: readonly Machine[]) {
    this.#folder = mkdtempSync(join(tmpdir(), "bh-nats-"));
    this.nodes = machines.map((machine) => new NatsNode(machine, machines, this.#folder));
  }

  static async start(machines: readonly Machine[]): Promise<NatsOnMachines> {
    const nats = new NatsOnMachines(machines);
    for (const node of nats.nodes) node.start();
    await nats.untilReady();
    return nats;
  }

  get urls(): readonly string[] {
    return this.nodes.map(({ url }) => url);
  }

  async untilReady(): Promise<void> {
    for (const node of this.nodes)
      await until(() => node.isReady(), `${node.machine.name} to be ready`, PATIENCE_MS);
  }

  async end(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    removeFolder(this.#folder);
  }
}
