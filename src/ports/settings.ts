import type { Priority, Transport } from "../core/message.ts";
import type { RightsChoice } from "../core/rights/rights.ts";
import type { PersonBy } from "../core/rights/ways-in.ts";
import type { LoopLimits } from "../core/routing/loop-breaker.ts";
import type { NotifyWay } from "../core/text/telling.ts";

/** What the office needs of the configuration, in its own units. Read afresh at every decision. */
export interface Settings {
  readonly defaultPriority: Priority;
  /** 0: a message waits for ever. */
  readonly defaultTimeoutMs: number;
  readonly personBy: PersonBy;
  readonly inputPollMs: number;
  readonly inputStaleMs: number;
  readonly maxBatch: number;
  readonly urgentDelayMs: number;
  readonly evidenceTimeoutMs: number;
  /** Tell the people at a terminal that their text was set aside, and what became of it. */
  readonly announceRestored: boolean;
  /** How the person is told what wants them; nothing: not at all. */
  readonly notify: readonly NotifyWay[];
  /** Whoever is watched is told so, once. */
  readonly greetWatched: boolean;
  readonly retentionDays: number;
  /** What agents may ask beyond what all of them may. */
  readonly rights: RightsChoice;
  readonly loops: LoopLimits;
  /** Rungs the owner allows for this program, best first. */
  transports(program: string): readonly Transport[];
}
