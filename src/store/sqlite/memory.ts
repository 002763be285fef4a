import type { Address, AgentName, MessageId, SessionId } from "../../core/message.ts";
import type { Agent } from "../../core/session.ts";
import type { ArrivedText } from "../../ports/store.ts";
import type { SessionIndex } from "./sessions/session-index.ts";

/**
 * What the small tables hold, once someone asked: every accept asks for it. This process is the only writer, so
 * what is written is noted here too; whenever something is undone, all of it is dropped and read again.
 */
export interface Memory {
  addresses?: Map<Address, number>;
  agents?: ReadonlyMap<AgentName, Agent>;
  sessions?: SessionMemory;
  newest?: NewestMessage;
  /** By session; what is missing has to be read. */
  arrived?: Map<SessionId, readonly ArrivedText[]>;
}

export interface SessionMemory {
  readonly index: SessionIndex;
  /** Changed since they were read. */
  readonly stale: Set<SessionId>;
}

/** The message stored last: its deliveries come next. */
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
  delete memory.arrived;
}
