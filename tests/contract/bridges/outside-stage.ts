/** The daemon as it is built, between a person on a platform outside and agents in tmux. */
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { Client } from "../../../src/client/connect.ts";
import { loadDriver } from "../../../src/system/sqlite-driver.ts";
import { Bellhop } from "../../rig/bellhop.ts";
import { SCRIPTED_PROFILE, type ScriptedAgent, startScriptedAgent, until } from "../../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../../rig/tmux-server.ts";
import { type Channel, writeSecrets } from "./channels.ts";

export interface OutsideParts<Kind extends Channel> {
  readonly channel: Kind;
  readonly bellhop: Bellhop;
  readonly tmux: TmuxServer;
  readonly agents: readonly ScriptedAgent[];
}

export class OutsideStage<Kind extends Channel = Channel> implements OutsideParts<Kind> {
  readonly channel: Kind;
  readonly bellhop: Bellhop;
  readonly tmux: TmuxServer;
  readonly agents: readonly ScriptedAgent[];
  daemon: ChildProcess | undefined;

  constructor({ channel, bellhop, tmux, agents }: OutsideParts<Kind>) {
    this.channel = channel;
    this.bellhop = bellhop;
    this.tmux = tmux;
    this.agents = agents;
  }

  /** Resolves when all agents are idle. `prepare`: before the daemon starts. */
  static async open<Kind extends Channel>(
    channel: Kind,
    names: readonly string[],
    { config = "", prepare = () => {} }: { config?: string; prepare?: (bellhop: Bellhop) => void } = {},
  ): Promise<OutsideStage<Kind>> {
    const parts = await outsideParts(channel, names, config);
    prepare(parts.bellhop);
    const stage = new OutsideStage(parts);
    const client = await stage.start();
    const idle = async () =>
      (await client.call("ls", {})).sessions.filter(({ readiness }) => readiness === "idle").length;
    await until(async () => (await idle()) === names.length, `${names.length} idle agents`);
    return stage;
  }

  /** Resolves when the agents and the platform are there. */
  async start(extra: Readonly<Record<string, string>> = {}): Promise<Client> {
    this.daemon = await this.bellhop.start(extra);
    const client = await this.bellhop.client();
    const isReady = async () => {
      const { sessions } = await client.call("ls", {});
      const [bridge] = (await client.call("bridges", {})).bridges;
      return sessions.length === this.agents.length && bridge?.state === "up";
    };
    await until(isReady, "the agents and the bridge");
    return client;
  }

  /** The prompts with these words, of all agents. */
  prompts(words: string): readonly string[] {
    return this.agents.flatMap((agent) => agent.prompts()).filter((prompt) => prompt.includes(words));
  }

  async close(): Promise<void> {
    await this.bellhop.dispose();
    await this.tmux.kill();
    await this.channel.close();
  }
}

/** The daemon does not run yet. */
export async function outsideParts<Kind extends Channel>(
  channel: Kind,
  names: readonly string[],
  config: string,
): Promise<OutsideParts<Kind>> {
  const tmux = startTmuxServer();
  const bellhop = bellhopOn(
    channel,
    `${SCRIPTED_PROFILE}
tmux: { servers: ["${tmux.socket}"] }
${config}`,
  );
  const agents = await Promise.all(names.map((name) => startScriptedAgent({ tmux, name })));
  return { channel, bellhop, tmux, agents };
}

/** A home whose daemon serves this channel. */
export function bellhopOn(channel: Channel, config: string): Bellhop {
  const channels = channel.name === "webhook" ? [] : [channel.path];
  const bellhop = new Bellhop({
    config: `${config}
person: { channels: ${JSON.stringify(channels)} }
bridges:
  ${channel.section}
`,
  });
  writeSecrets(channel, bellhop.home);
  return bellhop;
}

/** The texts that came from outside, in their order, as they are on disk. */
export async function arrivals({ home }: Bellhop): Promise<readonly string[]> {
  const database = (await loadDriver())(join(home, "bellhop.db"), { busyTimeoutMs: 1_000 });
  const rows = database
    .prepare("SELECT m.body FROM origins o JOIN messages m ON m.id = o.message_id ORDER BY m.number")
    .all() as { readonly body: Uint8Array }[];
  database.close();
  return rows.map(({ body }) => Buffer.from(body).toString("utf8").trimEnd());
}
