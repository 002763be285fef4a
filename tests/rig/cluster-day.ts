/** Hosts on machines of their own, with a daemon, a tmux and agents each, joined as a person would do it. */
import type { ShowResponse } from "../../src/wire/shapes/messages.ts";
import { Bellhop } from "./bellhop.ts";
import { joinHosts } from "./join-hosts.ts";
import { type Machine, Machines } from "./machines.ts";
import { NatsOnMachines } from "./nats-on-machines.ts";
import { SCRIPTED_PROFILE, type ScriptedAgent, startScriptedAgent, until } from "./scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "./tmux-server.ts";

const PATIENCE_MS = 180_000;

export interface Host {
  readonly name: string;
  readonly machine: Machine;
  readonly bellhop: Bellhop;
  readonly tmux: TmuxServer;
}

export interface ClusterDayOptions {
  readonly hosts: readonly string[];
  /** How many nodes NATS has. */
  readonly nodes: 1 | 3;
  /** What every host may do on every other; by default what a host may do unless somebody says otherwise. */
  readonly rights?: readonly string[];
  /** Added to the config of each. */
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export class ClusterDay {
  readonly machines: Machines;
  readonly nats: NatsOnMachines;
  readonly hosts: readonly Host[];

  private constructor(machines: Machines, nats: NatsOnMachines, hosts: readonly Host[]) {
    this.machines = machines;
    this.nats = nats;
    this.hosts = hosts;
  }

  static async begin(options: ClusterDayOptions): Promise<ClusterDay> {
    const nodes = Array.from({ length: options.nodes }, (_, at) => `n${at + 1}`);
    const machines = await Machines.start([...options.hosts, ...nodes]);
    const nats = await NatsOnMachines.start(nodes.map((name) => machines.machine(name)));
    const hosts = options.hosts.map((name): Host => {
      const tmux = startTmuxServer();
      const machine = machines.machine(name);
      const config = `tmux: { servers: ["${tmux.socket}"] }\n${SCRIPTED_PROFILE}\n${options.config ?? ""}`;
      const env = { TMUX_TMPDIR: tmux.folder, ...options.env };
      return { name, machine, tmux, bellhop: new Bellhop({ config, env, machine }) };
    });
    const day = new ClusterDay(machines, nats, hosts);
    try {
      await Promise.all(hosts.map(({ bellhop }) => bellhop.start()));
      await joinHosts(hosts, nats.urls, { rights: options.rights });
    } catch (cause) {
      await day.end();
      throw cause;
    }
    return day;
  }

  host(name: string): Host {
    const found = this.hosts.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no host "${name}"`);
    return found;
  }

  /** A scripted agent in the tmux of this host, once its daemon knows it. */
  async seat(host: string, name: string, flags: readonly string[] = []): Promise<ScriptedAgent> {
    const { tmux, bellhop } = this.host(host);
    const agent = await startScriptedAgent({ tmux, name, flags });
    const isListed = async () => (await bellhop.ask("ls", {})).sessions.some((one) => one.agent === name);
    await until(isListed, `${name} on ${host}`, PATIENCE_MS);
    return agent;
  }

  /** As the person at this host; the id of the message. */
  async send(host: string, to: string, body: string, options: readonly string[] = []): Promise<string> {
    const { bellhop } = this.host(host);
    const { messageId } = await bellhop.json<{ messageId: string }>(["send", to, body, ...options]);
    return messageId;
  }

  show(host: string, id: string): Promise<ShowResponse> {
    return this.host(host).bellhop.ask("show", { id });
  }

  /** What the first delivery of this message is on this host, when it is one of these. */
  async reaches(host: string, id: string, ...states: readonly string[]): Promise<ShowResponse> {
    let shown: ShowResponse | undefined;
    const look = async () => {
      shown = await this.show(host, id).catch(() => undefined);
      return states.includes(shown?.deliveries[0]?.state ?? "");
    };
    const failure = () => `${states.join(" or ")} of ${id} on ${host}: ${JSON.stringify(shown?.deliveries)}`;
    await until(look, failure, PATIENCE_MS);
    return shown as ShowResponse;
  }

  /** Every other host has heard of this agent. */
  async untilKnown(agent: string, host: string): Promise<void> {
    for (const { bellhop, name } of this.hosts.filter((one) => one.name !== host)) {
      const isKnown = async () => {
        const rows = await bellhop.json<{ host?: string; agent?: string }[]>(["ls", "--all-hosts"]);
        return rows.some((row) => row.agent === agent && row.host === host);
      };
      await until(isKnown, `${name} to know ${host}:${agent}`, PATIENCE_MS);
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.hosts.map(({ tmux }) => tmux.kill()));
    await Promise.all(this.hosts.map(({ bellhop }) => bellhop.dispose()));
    await this.nats.end();
    await this.machines.end();
  }
}
