/** Where the agents of a crash test run: in tmux, or in hosted terminals. */
import { Bellhop } from "../rig/bellhop.ts";
import { startHostedAgent } from "../rig/hosted-agent.ts";
import { type ScriptedAgent, startScriptedAgent } from "../rig/scripted-agent.ts";
import { startTmuxServer } from "../rig/tmux-server.ts";
import { attachTypist, handsOn, type Typist } from "../rig/typist.ts";

export type Place = "tmux" | "hosted";

export interface CrashAgent extends Pick<ScriptedAgent, "name" | "prompts"> {
  /** The environment of this agent's hooks. */
  readonly environment: Readonly<Record<string, string>>;
  /** A person at its keyboard. */
  sit(): Promise<Typist>;
}

export interface CrashDesk {
  readonly bellhop: Bellhop;
  readonly agents: readonly CrashAgent[];
  close(): Promise<void>;
}

const SIZE = { cols: 90, rows: 30 };

/** No daemon runs when it is open. */
export async function openDesk(place: Place, names: readonly string[], config: string): Promise<CrashDesk> {
  return place === "tmux" ? openInTmux(names, config) : openHosted(names, config);
}

async function openInTmux(names: readonly string[], config: string): Promise<CrashDesk> {
  const tmux = startTmuxServer();
  const bellhop = new Bellhop({ config: `${config}\ntmux: { servers: ["${tmux.socket}"] }\n` });
  const agents: CrashAgent[] = [];
  for (const name of names) {
    const agent = await startScriptedAgent({ tmux, name, ...SIZE });
    agents.push({
      ...agent,
      environment: { TMUX: `${tmux.socket},1,0`, TMUX_PANE: agent.pane },
      sit: () => attachTypist({ tmux, pane: name, ...SIZE }),
    });
  }
  return {
    bellhop,
    agents,
    async close() {
      await bellhop.dispose();
      await tmux.kill();
    },
  };
}

/** Started through a daemon that then ends: the hosts are there for the next one. */
async function openHosted(names: readonly string[], config: string): Promise<CrashDesk> {
  const bellhop = new Bellhop({ config });
  await bellhop.start();
  const agents: CrashAgent[] = [];
  for (const name of names) {
    const agent = await startHostedAgent(bellhop, name);
    agents.push({
      ...agent,
      environment: { BELLHOP_SESSION_ID: agent.sessionId },
      async sit() {
        const viewer = await agent.attach(SIZE);
        return { ...handsOn((bytes) => viewer.press(bytes)), close: async () => viewer.close() };
      },
    });
  }
  await bellhop.stop();
  return { bellhop, agents, close: () => bellhop.dispose() };
}
