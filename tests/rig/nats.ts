/** A real NATS on this machine: one server, or three that are a cluster, with JetStream in a folder of their own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeFolder } from "./remove-folder.ts";
import { until } from "./scripted-agent.ts";

const START_MS = 180_000;

export interface NatsOptions {
  readonly servers?: 1 | 3;
  readonly withoutJetStream?: true;
  /** More lines for the configuration of each server. */
  readonly settings?: string;
}

interface Ports {
  readonly clients: number;
  readonly routes: number;
  readonly monitor: number;
}

export class NatsServer {
  readonly #ports: Pick<Ports, "clients" | "monitor">;
  readonly #config: string;
  readonly #log: string;
  #process: ChildProcess | undefined;

  /** `config`: it listens for clients where the ports say so. */
  constructor(folder: string, ports: Pick<Ports, "clients" | "monitor">, config: string) {
    this.#ports = ports;
    mkdirSync(folder, { recursive: true });
    this.#config = join(folder, "nats.conf");
    this.#log = join(folder, "log");
    writeFileSync(this.#config, `http: "127.0.0.1:${ports.monitor}"\nlog_file: "${this.#log}"\n${config}\n`);
  }

  get port(): number {
    return this.#ports.clients;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  get log(): string {
    return readFileSync(this.#log, "utf8");
  }

  start(): void {
    // It ends with this process, however that ends.
    this.#process = spawn("setpriv", ["--pdeathsig", "KILL", "nats-server", "--config", this.#config], {
      stdio: "ignore",
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    });
    this.#process.on("error", () => {});
  }

  /** With JetStream: once it has a leader, and what is stored can be read. */
  async untilReady(): Promise<void> {
    await until(() => this.#isReady(), `nats-server at ${this.url}`, START_MS);
  }

  async stop(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }

  /** It keeps its connections, and says nothing. Resolves when none of its threads runs: until then it may still answer. */
  async freeze(isFrozen: boolean): Promise<void> {
    const { pid } = this.#process ?? {};
    if (pid === undefined) return;
    process.kill(pid, isFrozen ? "SIGSTOP" : "SIGCONT");
    if (isFrozen) await until(() => areStopped(pid), "the server to stand still");
  }

  async #isReady(): Promise<boolean> {
    if (this.#process?.exitCode !== null && this.#process?.exitCode !== undefined)
      throw new Error(`nats-server ended: ${this.log}`);
    return fetch(`http://127.0.0.1:${this.#ports.monitor}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  }
}

/** One of these servers. */
function configOf(folder: string, index: number, all: readonly Ports[], options: NatsOptions): string {
  const ports = all[index];
  if (ports === undefined) throw new Error(`there is no server ${index}`);
  const routes = all.map(({ routes: port }) => `"nats://127.0.0.1:${port}"`).join(", ");
  return [
    `server_name: "server-${index}"`,
    `listen: "127.0.0.1:${ports.clients}"`,
    ...(options.withoutJetStream
      ? []
      : [`jetstream { store_dir: "${join(folder, "store")}", max_file_store: 1GB, max_memory_store: 64MB }`]),
    ...(all.length > 1
      ? [`cluster { name: rig, listen: "127.0.0.1:${ports.routes}", routes: [${routes}] }`]
      : []),
    options.settings ?? "",
  ].join("\n");
}

export class Nats {
  readonly servers: readonly NatsServer[];
  readonly #folder: string;

  private constructor(folder: string, servers: readonly NatsServer[]) {
    this.#folder = folder;
    this.servers = servers;
  }

  static async start(options: NatsOptions = {}): Promise<Nats> {
    const count = options.servers ?? 1;
    const free = await freePorts(count * 3);
    const all = Array.from({ length: count }, (_, index) => portsAt(free, index * 3));
    const folder = mkdtempSync(join(tmpdir(), "nats-"));
    const servers = all.map((ports, index) => {
      const own = join(folder, `server-${index}`);
      return new NatsServer(own, ports, configOf(own, index, all, options));
    });
    const nats = new Nats(folder, servers);
    try {
      await nats.restart();
    } catch (error) {
      await nats.end();
      throw error;
    }
    return nats;
  }

  get urls(): readonly string[] {
    return this.servers.map(({ url }) => url);
  }

  /** All of them; what they have stored stays. */
  async stop(signal?: NodeJS.Signals): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop(signal)));
  }

  async restart(): Promise<void> {
    for (const server of this.servers) server.start();
    await Promise.all(this.servers.map((server) => server.untilReady()));
  }

  async end(): Promise<void> {
    await this.stop();
    removeFolder(this.#folder);
  }
}

function portsAt(ports: readonly number[], at: number): Ports {
  const [clients = 0, routes = 0, monitor = 0] = ports.slice(at, at + 3);
  return { clients, routes, monitor };
}

/** All at once, so that none is given twice. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function areStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`;
  // The name of a thread, in brackets, may have brackets itself.
  const stateOf = (task: string) => /.*\) (\w)/su.exec(readFileSync(`${tasks}/${task}/stat`, "utf8"))?.[1];
  return readdirSync(tasks).every((task) => stateOf(task) === "T");
}
