/** An agent of a desk: a scripted program in a terminal, and what the system says about its process. */
import type { Standing } from "../../src/core/readiness/standing.ts";
import type { RegistryEntry } from "../../src/ports/program.ts";
import type { Sighting } from "../../src/ports/terminal.ts";
import type { FakeClock } from "./clock.ts";
import type { DeskProgram } from "./profiles.ts";
import { ScriptedProgram } from "./program.ts";

export const SERVER = "/desk.sock";
export const SERVER_PID = 900;

/** `unreadable`: the system does not let us read it. */
type DeskEnvironment = Readonly<Record<string, string>> | "unreadable";

export interface DeskAgentOptions {
  readonly program?: DeskProgram;
  readonly environment?: DeskEnvironment;
  readonly registry?: RegistryEntry;
  /** In the same terminal as an earlier agent: only the process is new. */
  readonly inPlaceOf?: DeskAgent;
  /** It is its terminal's own process: no shell is under it. */
  readonly ownTerminal?: true;
}

/** One program in one terminal. */
export interface DeskAgent {
  readonly folder: string;
  readonly program: ScriptedProgram;
  readonly sighting: Sighting;
  readonly environment: DeskEnvironment;
  registry: RegistryEntry | undefined;
  process: "alive" | "gone" | "unknown";
  /** Its standing at its terminal (in front, behind, stopped) while it lives. */
  standing: Standing;
  /** Runs when the keys have arrived, before the terminal confirms them. */
  beforeAnswer: () => Promise<void>;
  /** Whether the terminal's confirmation reaches the caller. */
  answer: "told" | "lost";
}

export function seated(
  folder: string,
  options: DeskAgentOptions,
  { clock, number }: { readonly clock: FakeClock; readonly number: number },
): DeskAgent {
  const { program = "plain", environment = {}, registry, inPlaceOf, ownTerminal } = options;
  const pane = inPlaceOf?.sighting.identity.pane ?? `%${number}`;
  const panePid = 1_000 + Number(pane.slice(1));
  const agent: DeskAgent = {
    folder,
    program: new ScriptedProgram({ clock, panePid, pane }),
    sighting: {
      identity: {
        kind: "tmux",
        server: SERVER,
        serverPid: SERVER_PID,
        serverStartedAt: "1",
        pane,
        panePid,
        agentPid: ownTerminal === true ? panePid : 2_000 + number,
        agentStartedAt: `${number}`,
      },
      program,
      label: `work:${number}.0`,
      title: "",
      folder: `/home/dev/${folder}`,
      agentArgv: [program],
    },
    environment,
    registry,
    process: "alive",
    standing: "in-front",
    beforeAnswer: async () => {},
    answer: "told",
  };
  agent.program.terminal.standing = () => agent.standing;
  return agent;
}
