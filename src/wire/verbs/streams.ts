/** What does not end with one answer, as types only. */
import type { BellhopError } from "../../core/errors.ts";
import type { Address, AgentName, Instant } from "../../core/message.ts";
import type { Overview } from "../shapes/attention.ts";
import type { BrokerMessage } from "../shapes/broker.ts";
import type { ShownSession } from "../shapes/sessions.ts";
import type { ListenRequest, MailboxRequest } from "./broker.ts";
import type { Claims } from "./claims.ts";
import type { FollowRequest } from "./sessions.ts";

/** One mailbox owner, or everybody who runs and what wants the person. */
export type Followed = { readonly session: ShownSession } | { readonly overview: Overview };

export interface FollowEar {
  hear(followed: Followed): void;
  /** Once, and nothing after it: what is followed is there no more. */
  over(error: BellhopError): void;
}

export interface Listening {
  readonly agent: AgentName;
  /** When that agent was made: a name can become another's, this cannot. */
  readonly agentSince: Instant;
  readonly session?: string;
  /** Where it listens now: its agent may have got another name. */
  mailbox(): Address;
  close(): void;
}

export interface Streams {
  /** How things stand, now and whenever that changes: of `who`, or of everybody; rejects when there is nobody. */
  follow(
    request: FollowRequest,
    ear: FollowEar,
    claims: Claims,
  ): Promise<{ readonly agent?: AgentName; close(): void }>;
  /** `push` says whether it reached the listener's connection. */
  listen(
    request: ListenRequest,
    push: (message: BrokerMessage) => "gone" | Promise<"written" | "gone">,
  ): Promise<Listening>;
  /** Where it would listen; throws what `listen` rejects with. */
  mailboxOf(request: MailboxRequest): Address;
}
