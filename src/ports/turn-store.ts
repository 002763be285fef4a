/** What the store keeps of automatic turns. */
import type { AgentName, DeliveryId, Instant, MessageId, SessionId } from "../core/message.ts";
import type { AutoRunWords } from "../core/turns/auto-run.ts";
import type { Turn, TurnState } from "../core/turns/turn.ts";

export type TurnOwner =
  | { readonly kind: "agent"; readonly agent: AgentName }
  | { readonly kind: "session"; readonly sessionId: SessionId };

/** While it is off, no turn starts. */
export interface TurnSwitch {
  readonly off: boolean;
  readonly since: Instant;
  /** Who turned it, in a person's words. */
  readonly by: string;
}

/** One entry of a session's conversation, whoever began it. */
export interface LoggedTurn {
  /** Increasing; also the cursor of the next page. */
  readonly number: number;
  readonly sessionId: SessionId;
  readonly turnId: string;
  readonly at: Instant;
  readonly kind: "auto-turn" | "auto-turn-result";
  readonly text: string;
  /** The messages it was about. */
  readonly messages: readonly MessageId[];
}

export interface TurnFilter {
  readonly agent?: AgentName;
  readonly sessionId?: SessionId;
  readonly states?: readonly TurnState[];
  /** Begun at this time or later. */
  readonly since?: Instant;
  readonly limit?: number;
}

export interface TurnReader {
  turn(id: string): Turn | undefined;
  /** Newest first. */
  turns(filter: TurnFilter): readonly Turn[];
  /** The newest turn that this delivery was part of. */
  turnOf(delivery: DeliveryId): Turn | undefined;
  autoRun(owner: TurnOwner): AutoRunWords | undefined;
  /** Everyone for whom something was said. */
  autoRuns(): readonly { readonly owner: TurnOwner; readonly words: AutoRunWords }[];
  turnSwitch(): TurnSwitch | undefined;
  /** Newest first, before this number. */
  loggedTurns(
    sessionId: SessionId,
    page: { readonly before?: number; readonly limit: number },
  ): readonly LoggedTurn[];
}

export interface TurnWriter {
  /** Adds a turn, or updates an existing one. */
  putTurn(turn: Turn): void;
  /** Without words, what was said is taken back. */
  sayAutoRun(owner: TurnOwner, words: AutoRunWords | undefined): void;
  putTurnSwitch(turned: TurnSwitch): void;
  logTurn(entry: Omit<LoggedTurn, "number">): void;
}
