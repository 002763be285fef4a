/** Requests with more than one answer, as types only. */
import type { BellhopError } from "../../core/errors.ts";
import type { Address, AgentName, Instant } from "../../core/message.ts";
import type { Overview } from "../shapes/attention.ts";
import type { BrokerMessage, Routed } from "../shapes/broker.ts";
import type { ShownSession } from "../shapes/sessions.ts";
import type { ListenRequest, MailboxRequest } from "./broker.ts";
import type { Claims } from "./claims.ts";
import type { FollowRequest } from "./sessions.ts";

/** One mailbox owner, or an overview: everything that runs and what needs the person's attention. */
export type Followed = { readonly session: ShownSession } | { readonly overview: Overview };

export interface FollowEar {
  hear(followed: Followed): void;
  /** Called once, as the last event: what is followed no longer exists. */
  over(error: BellhopError): void;
}

export interface Listening {
  readonly agent: AgentName;
  /** When that agent was created: a name can change hands, this cannot. */
  readonly agentSince: Instant;
  readonly session?: string;
  /** The current mailbox: its agent may have been renamed. */
  mailbox(): Address;
  close(): void;
}

/** Whether the message reached the listener's connection. */
export type PushOutcome = "written" | "gone";
/** Without a promise where there is nothing to wait for: one message may have thousands of listeners. */
export type Push = (message: BrokerMessage) => PushOutcome | Promise<PushOutcome>;

export interface Streams {
  /** The state of `who`, or of everyone, now and at every change; rejects if there is nobody. */
  follow(
    request: FollowRequest,
    ear: FollowEar,
    claims: Claims,
  ): Promise<{ readonly agent?: AgentName; close(): void }>;
  listen(request: ListenRequest, push: Push): Promise<Listening>;
  /** Every message that found a recipient, as it comes. */
  routes(hear: (routed: Routed) => void, claims: Claims): Promise<{ close(): void }>;
  /** Where it would listen; throws what `listen` rejects with. */
  mailboxOf(request: MailboxRequest): Address;
}
