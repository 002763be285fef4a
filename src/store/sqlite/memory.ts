import type { Address, AgentName, MessageId, SessionId } from "../../core/message.ts";
import type { Agent } from "../../core/session.ts";
import type { StoredSession } from "../../ports/store.ts";

/**
 * What the small tables hold, once someone asked: every accept asks for it. This process is the only writer, so
 * what is written is noted here too; whenever something is undone, all of it is dropped and read again.
 */
export interface Memory {
  addresses?: Map<Address, number>;
  agents?: ReadonlyMap<AgentName, Agent>;
  sessions?: SessionMemory;
  newest?: NewestMessage;
}

export interface SessionMemory {
  readonly byId: Map<SessionId, StoredSession>;
  /** Changed since they were read. */
  readonly stale: Set<SessionId>;
  /** In the order of the answers; absent when it has to be found anew. */
  order?: { readonly live: readonly SessionId[]; readonly exited: readonly SessionId[] };
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
}
