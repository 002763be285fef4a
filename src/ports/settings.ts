import type { Address, AgentName, Priority, Transport } from "../core/message.ts";
import type { BridgeName } from "../core/outside/places.ts";
import type { RightsChoice } from "../core/rights/rights.ts";
import type { PersonBy } from "../core/rights/ways-in.ts";
import type { LoopLimits } from "../core/routing/loop-breaker.ts";
import type { NotifyWay } from "../core/text/telling.ts";
import type { Quiet } from "../core/time/quiet-hours.ts";
import type { AutoRunWords } from "../core/turns/auto-run.ts";

/** What the office needs from the configuration, in its own units. Read again for every decision. */
export interface Settings {
  readonly defaultPriority: Priority;
  /** 0: a message never expires. */
  readonly defaultTimeoutMs: number;
  readonly personBy: PersonBy;
  readonly inputPollMs: number;
  readonly inputStaleMs: number;
  readonly maxBatch: number;
  readonly urgentDelayMs: number;
  readonly evidenceTimeoutMs: number;
  /** Whether to tell the people at a terminal that their text was set aside, and what became of it. */
  readonly announceRestored: boolean;
  /** How the person is told what needs them; empty: not at all. */
  readonly notify: readonly NotifyWay[];
  /** Whether a watched session is told so, once. */
  readonly greetWatched: boolean;
  readonly retentionDays: number;
  /** The rights of agents beyond the default ones. */
  readonly rights: RightsChoice;
  readonly loops: LoopLimits;
  readonly desk: DeskSettings;
  readonly turns: TurnSettings;
  /** The variables that hold secrets of the daemon: no program inherits them. */
  readonly secretVariables: readonly string[];
  /** The name by which the person's own tunnel or proxy serves the dashboard. */
  readonly webName: string | undefined;
  /** Hosts of the person's own that bring notifications to their browsers. */
  readonly pushServices: readonly string[];
  /** The rungs that the owner allows for this program, best first. */
  transports(program: string): readonly Transport[];
}

export interface TurnSettings {
  /** How many run at once, whoever takes them. */
  readonly atOnce: number;
  /** Whether the config lets anybody take turns. */
  readonly any: boolean;
  readonly everyone: AutoRunWords | undefined;
  of(agent: AgentName, session?: string): AutoRunWords | undefined;
}

export interface DeskSettings {
  /** Where the person is told what needs them when they are away: `telegram/42`. */
  readonly channels: readonly Address[];
  /** When they are not told there. */
  readonly quiet: Quiet;
  /** Whom the config allows on this bridge: ids of people, and whole paths. */
  allow(bridge: BridgeName): readonly string[];
  /** Those that are configured, whether or not they are open. */
  readonly bridges: readonly BridgeName[];
  /** A name, or a part of a label. */
  readonly defaultAgent?: string;
  /** For how long what an agent told the person makes it the one they answer. */
  readonly freshMs: number;
  readonly classifies: boolean;
}
