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
  /** How often it has come already. */
  readonly fired: number;
  /** Short id of the message in which it came last, while that waits: until it is taken the next are left out. */
  readonly waiting?: string;
}
