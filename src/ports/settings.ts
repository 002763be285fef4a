import type { Priority, Transport } from "../core/message.ts";

/** What the office needs of the configuration, in its own units. Read afresh at every decision. */
export interface Settings {
  readonly defaultPriority: Priority;
  readonly inputPollMs: number;
  readonly inputStaleMs: number;
  readonly maxBatch: number;
  readonly urgentDelayMs: number;
  readonly evidenceTimeoutMs: number;
  readonly retentionDays: number;
  /** Rungs the owner allows for this program, best first. */
  transports(program: string): readonly Transport[];
}
