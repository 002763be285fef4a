/** Two hosts on one machine with a JetStream between them: who writes on one, agents on the other. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "../../src/client/connect.ts";
import { type Bellhop as BellhopClient, openBellhop } from "../../src/client/library.ts";
import { Bellhop } from "../../tests/rig/bellhop.ts";
import { joinHosts } from "../../tests/rig/join-hosts.ts";
import { BENCH_CLAIMS, type BenchAgent, DaemonStage } from "./daemon-stage.ts";
import { type FanOut, Watched } from "./peers/carrier.ts";
import { jetStreamServer } from "./peers/nats.ts";
import { NatsClient } from "./peers/nats-client.ts";
import type { Server } from "./peers/server.ts";
import { Turn } from "./peers/wire.ts";

const BODY = "the quick brown fox ".repeat(10).slice(0, 188);
const SUBJECT = "bare.stream";
const INBOX = "_INBOX.bare";

export class HostsStage {
  /** Which JetStream it is. */
  readonly engine: string;
  readonly far: DaemonStage;
  readonly #server: Server;
  readonly #near: Bellhop;
  readonly #client: Client;
  readonly #folder: string;
  readonly #bare: BarePublisher;
  readonly #listeners: BellhopClient[] = [];

  private constructor(parts: {
    readonly engine: string;
    readonly server: Server;
    readonly far: DaemonStage;
    readonly near: Bellhop;
    readonly client: Client;
    readonly folder: string;
    readonly bare: BarePublisher;
  }) {
    this.engine = parts.engine;
    this.far = parts.far;
    this.#server = parts.server;
    this.#near = parts.near;
    this.#client = parts.client;
    this.#folder = parts.folder;
    this.#bare = parts.bare;
  }

  static async open(command: string, agents: number): Promise<HostsStage> {
    const { what: engine, server } = await jetStreamServer(command);
    const folder = mkdtempSync(join(tmpdir(), "bellhop-bench-"));
    // Separate from the user's own tmux server and agents.
    const near = new Bellhop({ env: { TMUX_TMPDIR: folder, HOME: folder } });
    const [far] = await Promise.all([DaemonStage.open(agents), near.start()]);
    const hosts = [
      { name: "near", bellhop: near },
      { name: "far", bellhop: far.bellhop },
    ];
    await joinHosts(hosts, [`nats://127.0.0.1:${server.port}`]);
    const bare = await BarePublisher.open(server.port);
    return new HostsStage({ engine, server, far, near, client: await near.client(), folder, bare });
  }

  /** From the call on an open connection to one host until the agent on the other has read the prompt. */
  async sendAcross(agent: BenchAgent): Promise<number> {
    const { body, read } = this.far.newText();
    const start = performance.now();
    await this.#client.call("send", { to: `far:${agent.name}`, body, claims: BENCH_CLAIMS });
    return (await read) - start;
  }

  /** The same on one host, and what JetStream takes to store it. */
  async sendAtHomeAndStore(agent: BenchAgent): Promise<number> {
    const stored = await this.#bare.publish();
    return stored + (await this.far.sendByClient(agent));
  }

  /** One publisher, and one listener on the host with the agents. */
  async across(): Promise<FanOut> {
    return this.#fanOut("far:across", "across", this.#client);
  }

  async atHome(): Promise<FanOut> {
    return this.#fanOut("at-home", "at-home", this.far.client);
  }

  async close(): Promise<void> {
    for (const listener of this.#listeners) listener.close();
    this.#bare.close();
    await this.#near.dispose();
    await this.far.close();
    await this.#server.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #fanOut(to: string, agent: string, client: Client): Promise<FanOut> {
    const watched = new Watched();
    await this.far.client.call("agent_add", { name: agent });
    const listener = await openBellhop({ home: this.far.bellhop.home });
    this.#listeners.push(listener);
    const hear = async (): Promise<void> => {
      for await (const { body } of listener.listen(agent)) watched.events.heard(body);
    };
    hear().catch((cause: unknown) => watched.events.failed(cause));
    return watched.fanOut(1, (body) => {
      client.call("send", { to, body, claims: BENCH_CLAIMS }).then(
        () => watched.events.answered(),
        (cause: unknown) => watched.events.failed(cause),
      );
    });
  }
}

/** Stores one message after the other in a stream, and does nothing else. */
class BarePublisher {
  readonly #client: NatsClient;
  readonly #answers = new Turn<Buffer>();

  private constructor(client: NatsClient) {
    this.#client = client;
    client.subscribe(INBOX, (payload) => this.#answers.give(payload));
  }

  static async open(port: number): Promise<BarePublisher> {
    const bare = new BarePublisher(await NatsClient.open(port, (cause) => bare.#answers.fail(cause)));
    await bare.#ask(
      "$JS.API.STREAM.CREATE.bare",
      JSON.stringify({ name: "bare", subjects: [SUBJECT], storage: "file" }),
    );
    return bare;
  }

  /** How long it took, in milliseconds. */
  async publish(): Promise<number> {
    const start = performance.now();
    await this.#ask(SUBJECT, BODY);
    return performance.now() - start;
  }

  close(): void {
    this.#client.close();
  }

  async #ask(subject: string, request: string): Promise<void> {
    const answer = this.#answers.next();
    this.#client.publish(subject, request, INBOX);
    const told = (await answer).toString();
    if (told.includes('"error"')) throw new Error(`JetStream says ${told}`);
  }
}
