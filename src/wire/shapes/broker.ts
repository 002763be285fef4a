/** Paths, subscriptions and mailboxes, as the broker shows them. */
import type { HostName } from "../../core/cluster/hosts.ts";
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
  /** Whose they are, in the same order: of a session, its agent. Without copies that can only be received. */
  readonly owners: readonly Address[];
  /** When it was put there. */
  readonly at: Instant;
}

export interface RouteResponse {
  readonly messageId: MessageId;
  readonly shortId: string;
  readonly delivered: boolean;
  readonly unmatched: boolean;
  readonly reason?: string;
  readonly deliveredTo: readonly AgentName[];
  readonly deliveredToSessions: readonly HandledBy[];
  /** Other hosts on which somebody gets it, if there are any. */
  readonly deliveredToHosts?: readonly HostName[];
  readonly message: BrokerMessage;
}

export interface ShownSubscription {
  readonly pattern: string;
  readonly addedAt: Instant;
}

/** A subscription of anybody. */
export interface HeardPattern extends ShownSubscription {
  readonly agent: AgentName;
  /** One of its sessions, by the name it was created with, else by its id. */
  readonly session?: string;
  /** `declared`: in the config file. */
  readonly origin: "asked" | "declared";
}

/** A mailbox that somebody listens to now. */
export interface ShownListener {
  readonly mailbox: Address;
  /** Whose mailbox it is. */
  readonly owner: Address;
  /** How many only hear what comes. */
  readonly hearing: number;
  /** How many take it. */
  readonly consuming: number;
}

export interface EverySubscription {
  /** One page, in no order that means anything. */
  readonly subscriptions: readonly HeardPattern[];
  /** Asks for the next page; absent after the last. */
  readonly next?: string;
  /** With the first page, the mailboxes with the most listeners first. */
  readonly listeners?: readonly ShownListener[];
}

/** Who would get a message. */
export interface RouteTried {
  readonly path: Address;
  readonly from: Address;
  /** In the order of delivery; the first of them if there are many. */
  readonly recipients: readonly TriedRecipient[];
  /** How many more there are. */
  readonly more: number;
  /** Why nobody would get it. */
  readonly reason?: string;
  /** What else is worth knowing, in sentences. */
  readonly notes: readonly string[];
}

export interface TriedRecipient {
  readonly to: Address;
  /** If `to` is the mailbox of another host: whom it is for there, or the path that somebody there hears. */
  readonly recipient?: Address;
  /** Whose mailbox it is: the agent of a session. */
  readonly owner: Address;
  /** Why, in words that follow “because”. */
  readonly why: readonly string[];
}

/** Who wrote to whom, and how often. */
export interface Traffic {
  /** All that was sent before this is counted, nothing that came later. */
  readonly until: Instant;
  /** Of the oldest message that is counted, if older ones are left out because there are too many. */
  readonly since?: Instant;
  /** The busiest first: senders and owners of mailboxes. */
  readonly talks: readonly Talk[];
  /** Of pairs that are left out because there are too many. */
  readonly others: { readonly pairs: number; readonly messages: number };
  /** Dead letters, by sender. */
  readonly unmatched: readonly Omit<Talk, "to">[];
}

export interface Talk {
  readonly from: Address;
  readonly to: Address;
  readonly messages: number;
}

export interface SubscriptionsResponse {
  readonly agent: AgentName;
  readonly session?: string;
  readonly subscriptions: readonly ShownSubscription[];
}
