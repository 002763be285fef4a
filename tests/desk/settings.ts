import type { Transport } from "../../src/core/message.ts";
import { NO_MORE_RIGHTS } from "../../src/core/rights/rights.ts";
import { STANDARD_LOOP_LIMITS } from "../../src/core/routing/loop-breaker.ts";
import { NEVER_QUIET } from "../../src/core/time/quiet-hours.ts";
import type { Settings } from "../../src/ports/settings.ts";

/** The settings that apply if nothing is configured. */
export const AS_SHIPPED: Settings = {
  defaultPriority: "normal",
  defaultTimeoutMs: 0,
  personBy: "typed",
  inputPollMs: 5_000,
  inputStaleMs: 120_000,
  maxBatch: 10,
  urgentDelayMs: 500,
  evidenceTimeoutMs: 10_000,
  announceRestored: true,
  notify: ["tmux"],
  greetWatched: true,
  retentionDays: 30,
  rights: NO_MORE_RIGHTS,
  loops: STANDARD_LOOP_LIMITS,
  secretVariables: [],
  webName: undefined,
  pushServices: [],
  desk: {
    channels: [],
    quiet: NEVER_QUIET,
    allow: () => [],
    bridges: [],
    freshMs: 15 * 60_000,
    classifies: false,
  },
  turns: { atOnce: 5, any: false, everyone: undefined, of: () => undefined },
  transports: (): readonly Transport[] => ["native", "hook", "paste"],
};
