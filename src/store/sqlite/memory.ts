import type { Address, AgentName, MessageId, SessionId } from "../../core/message.ts";
import type { Agent } from "../../core/session.ts";
import type { ArrivedText } from "../../ports/store.ts";
import type { SessionIndex } from "./sessions/session-index.ts";

/**
 * The small tables, cached when first asked for: every accept reads them. This process is the only writer, so writes
 * update the cache too; any rollback drops all of it.
 */
export interface Memory {
  readonly writeCounts: { committed: number; undone: number };
  addresses?: Map<Address, number>;
  agents?: ReadonlyMap<AgentName, Agent>;
  sessions?: SessionMemory;
  newest?: NewestMessage;
  /** Pairs of mailbox and sender, by the numbers of their addresses, of which nothing waits for an answer. */
  answered?: Set<number>;
  /** By session; a missing entry has to be read. */
  arrived?: Map<SessionId, readonly ArrivedText[]>;
}

export interface SessionMemory {
  readonly index: SessionIndex;
  /** Changed since they were read. */
  readonly stale: Set<SessionId>;
}

/** The message stored last: its deliveries are stored next. */
export interface NewestMessage {
  readonly id: MessageId;
  readonly number: number;
  readonly from: Address;
  deliveries: number;
}

export function forgetAll(memory: Memory): void {
  delete memory.addresses;
  delete memory.agents;
  delete memory.sessions;
  delete memory.newest;
  delete memory.answered;
  memory.writeCounts.undone += 1;
  delete memory.arrived;
}
