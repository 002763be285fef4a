/** Paths, subscriptions and mailboxes, as the broker shows them. */
import type { Address, AgentName, DeliveryState, Instant, Json, MessageId } from "../../core/message.ts";

/** A message as the broker's protocol shows it. */
export interface BrokerMessage {
  readonly id: MessageId;
  readonly shortId: string;
  /** An agent's bare name, else an address. */
  readonly from: string;
  readonly path: Address;
  readonly command: string;
  readonly payload: Json;
  readonly body: string;
  /** `pending` until someone has it, then `delivered`; or what became of it instead. */
  readonly status: "pending" | "delivered" | "expired" | "cancelled" | "failed";
  /** The exact state; a dead letter has none. */
  readonly state?: DeliveryState;
  readonly timestamp: Instant;
  /** `internal`, or the outside system it came from. */
  readonly source: string;
  readonly externalId: string | null;
  /** Only for agents' copies: one of its sessions has it too. */
  readonly handled?: boolean;
  readonly handledBy?: readonly HandledBy[];
  /** The listener may have seen it before. */
  readonly redelivered?: true;
}

export interface HandledBy {
  readonly agentId: AgentName;
  readonly sessionId: string;
}

/** A message that found a recipient. */
export interface Routed {
  readonly messageId: MessageId;
  readonly from: Address;
  readonly to: Address;
  /** The mailboxes that have it now. */
  readonly deliveredTo: readonly Address[];
}

export interface RouteResponse {
  readonly messageId: MessageId;
  readonly shortId: string;
  readonly delivered: boolean;
  readonly unmatched: boolean;
  readonly reason?: string;
  readonly deliveredTo: readonly AgentName[];
  readonly deliveredToSessions: readonly HandledBy[];
  readonly message: BrokerMessage;
}

export interface ShownSubscription {
  readonly pattern: string;
  readonly addedAt: Instant;
}

export interface SubscriptionsResponse {
  readonly agent: AgentName;
  readonly session?: string;
  readonly subscriptions: readonly ShownSubscription[];
}
