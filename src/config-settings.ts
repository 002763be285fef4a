/** The configuration as the office wants it. */
import type { ConfigValues } from "./config-schema.ts";
import type { Transport } from "./core/message.ts";
import type { Settings } from "./ports/settings.ts";

/** Best first; what the owner does not limit. */
const LADDER: readonly Transport[] = ["native", "hook", "paste", "doorbell"];

export function settingsFrom(values: ConfigValues): Settings {
  const { delivery, retention, transports } = values;
  return {
    defaultPriority: delivery.defaultPriority,
    inputPollMs: delivery.inputPollIntervalMs,
    inputStaleMs: delivery.inputStaleTimeoutMs,
    maxBatch: delivery.maxBatchSize,
    urgentDelayMs: delivery.urgentDelayMs,
    evidenceTimeoutMs: delivery.evidenceTimeoutMs,
    retentionDays: retention.days,
    transports: (program) => {
      const own = Object.hasOwn(transports.byProgram, program) ? transports.byProgram[program] : undefined;
      return own ?? transports.everywhere ?? LADDER;
    },
  };
}
