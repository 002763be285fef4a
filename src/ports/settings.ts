import type { Priority, Transport } from "../core/message.ts";
import type { RightsChoice } from "../core/rights/rights.ts";
import type { PersonBy } from "../core/rights/ways-in.ts";
import type { LoopLimits } from "../core/routing/loop-breaker.ts";
import type { NotifyWay } from "../core/text/telling.ts";

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
  /** The rungs that the owner allows for this program, best first. */
  transports(program: string): readonly Transport[];
}
