import type { Address, AgentName, Instant, SessionId } from "../../core/message.ts";
import type { WatchEvent } from "../../core/watch.ts";

export interface ShownWatch {
  readonly id: string;
  readonly watcher: Address;
  readonly watcherSession?: SessionId;
  readonly agent: AgentName;
  readonly session: SessionId;
  readonly on: readonly WatchEvent[];
  readonly once: boolean;
  readonly since: Instant;
}
