/** Requests with more than one answer, as types only. */
import type { BellhopError } from "../../core/errors.ts";
import type { Address, AgentName, Instant, SessionId } from "../../core/message.ts";
import type { BoardFrame } from "../shapes/board.ts";
import type { BrokerMessage, Routed } from "../shapes/broker.ts";
import type { ScreenFrame } from "../shapes/screens.ts";
import type { ShownSession } from "../shapes/sessions.ts";
import type { BoardRequest } from "./board.ts";
import type { ListenRequest, MailboxRequest } from "./broker.ts";
import type { Claims } from "./claims.ts";
import type { ScreenRequest } from "./screens.ts";
import type { FollowRequest } from "./sessions.ts";

export interface Followed {
  readonly session: ShownSession;
}

export interface FollowEar {
  hear(followed: Followed): void;
  /** Called once, as the last event: what is followed no longer exists. */
  over(error: BellhopError): void;
}

/** What one reader of the board has not taken yet: changes are merged until they take a frame. */
export interface BoardReading {
  /** A snapshot first; undefined if nothing has changed since. */
  take(): BoardFrame | undefined;
  close(): void;
}

/** One viewer of one terminal. Output that they do not take in time gives way to a new snapshot. */
export interface ScreenReading {
  readonly sessionId: SessionId;
  readonly kind: "tmux" | "hosted";
  /** Among those who look at this terminal. */
  readonly viewer: number;
  /** A snapshot first; undefined if there is nothing to tell now. After `ended` there is nothing any more. */
  take(): ScreenFrame | undefined;
  /** Rejects if somebody else has it, or the caller may not have it. */
  keyboard(take: boolean): Promise<void>;
  /** What a terminal sends for a person's keys. Rejects if they were not typed. */
  keys(keys: string): Promise<void>;
  close(): void;
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
  /** The state of `who`, now and at every change; rejects if there is nobody. */
  follow(
    request: FollowRequest,
    ear: FollowEar,
    claims: Claims,
  ): Promise<{ readonly agent: AgentName; close(): void }>;
  /** Everything, now and at every change. `ready` is called whenever there may be something to take. */
  board(request: BoardRequest, ready: () => void, claims: Claims): Promise<BoardReading>;
  /** A live copy of a terminal. `ready` is called whenever there may be something to take. */
  screen(request: ScreenRequest, ready: () => void, claims: Claims): Promise<ScreenReading>;
  listen(request: ListenRequest, push: Push): Promise<Listening>;
  /** Every message that found a recipient, as it comes. */
  routes(hear: (routed: Routed) => void, claims: Claims): Promise<{ close(): void }>;
  /** Where it would listen; throws what `listen` rejects with. */
  mailboxOf(request: MailboxRequest): Address;
}
