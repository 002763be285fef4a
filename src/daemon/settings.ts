import type { Config } from "../config/config.ts";
import type { Transport } from "../core/message.ts";
import type { Settings } from "../ports/settings.ts";

/** The ways of delivery implemented today, best first. */
const BUILT_RUNGS: readonly Transport[] = ["native", "paste"];

export function settingsFrom({ values }: Config): Settings {
  const { delivery, transports, retention, rights, loops } = values;
  return {
    defaultPriority: delivery.defaultPriority,
    defaultTimeoutMs: delivery.defaultTimeoutMs,
    personBy: delivery.personBy,
    inputPollMs: delivery.inputPollIntervalMs,
    inputStaleMs: delivery.inputStaleTimeoutMs,
    maxBatch: delivery.maxBatchSize,
    urgentDelayMs: delivery.urgentDelayMs,
    evidenceTimeoutMs: delivery.evidenceTimeoutMs,
    announceRestored: delivery.announceRestored,
    notify: values.notify,
    greetWatched: values.watch.greeting,
    retentionDays: retention.days,
    rights: { everyone: rights.default, byAgent: new Map(Object.entries(rights.agents)) },
    loops,
    transports: (program) => transports.byProgram[program] ?? transports.everywhere ?? BUILT_RUNGS,
  };
}
