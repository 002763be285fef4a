import type { Address, Instant, SessionId } from "../../core/message.ts";

export interface ShownReminder {
  readonly id: string;
  readonly to: Address;
  readonly sessionId?: SessionId;
  readonly text: string;
  readonly setBy: Address;
  readonly dueAt: Instant;
  readonly everyMs?: number;
  readonly cron?: string;
  readonly createdAt: Instant;
  /** How often it has fired. */
  readonly fired: number;
  /** Short id of its last message while that still waits: until it is read, the reminder does not fire again. */
  readonly waiting?: string;
}
