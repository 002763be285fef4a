import type { Address, AgentName, Instant, SessionId } from "../../core/message.ts";
import type { WatchEvent } from "../../core/watch.ts";
import type { Claims } from "./messages.ts";

export interface WatchRequest {
  readonly who: string;
  /** All of them when left out. */
  readonly on?: readonly WatchEvent[];
  readonly once?: boolean;
  readonly claims: Claims;
}

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
