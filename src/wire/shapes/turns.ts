/** Automatic turns as callers see them. */
import type { AgentName, Instant, MessageId, SessionId } from "../../core/message.ts";
import type { AutoRunKey, AutoRunLevel, AutoRunWords } from "../../core/turns/auto-run.ts";
import type { Turn } from "../../core/turns/turn.ts";

export interface ShownTurn extends Omit<Turn, "deliveries" | "process"> {
  readonly messages: readonly { readonly id: MessageId; readonly shortId: string; readonly from: string }[];
  /** What it does at the moment, in a few words. */
  readonly doing?: string;
}

export interface ShownBudget {
  readonly agent: AgentName;
  readonly turnsThisHour: number;
  readonly turnsPerHour: number;
  readonly turnsToday: number;
  readonly turnsPerDay: number;
  readonly usdToday: number;
  readonly usdPerDay: number;
  /** Spent until then. */
  readonly until?: Instant;
}

export interface TurnsResponse {
  /** The kill switch: while it is off, no turn starts. */
  readonly switch: { readonly off: boolean; readonly since?: Instant; readonly by?: string };
  /** Open ones first, then the newest. */
  readonly turns: readonly ShownTurn[];
  readonly budgets: readonly ShownBudget[];
  /** Messages that wait for a turn, by agent, and what would release the first of them. */
  readonly waiting: readonly {
    readonly agent: AgentName;
    readonly messages: number;
    readonly release: string;
  }[];
}

/** What counts, and who said it. */
export interface ShownAutoRun {
  readonly values: AutoRunWords;
  readonly from: Readonly<Partial<Record<AutoRunKey, AutoRunLevel>>>;
  /** Why no turn can run. */
  readonly obstacle?: string;
  /** The turn that runs now. */
  readonly running?: string;
}

export interface ConversationEntry {
  readonly type: "auto-turn" | "auto-turn-result";
  readonly turnId: string;
  readonly sessionId: SessionId;
  readonly at: Instant;
  readonly text: string;
  readonly messages: readonly MessageId[];
}
