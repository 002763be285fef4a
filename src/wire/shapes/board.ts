/** Everything that a page shows: first as it is, then what changes. */
import type { AgentName, Hold, Instant, SessionId } from "../../core/message.ts";
import type { TurnState } from "../../core/turns/turn.ts";
import type { ShownAttention, Wants } from "./attention.ts";
import type { StatusResponse } from "./daemon.ts";
import type { ShownBridge } from "./outside.ts";
import type { ListedSession, ShownAgent, ShownComposer } from "./sessions.ts";
import type { TurnsResponse } from "./turns.ts";

/** A session that runs; or the one that ended last, if none of its agent runs. */
export interface BoardSession extends Omit<ListedSession, "ending"> {
  readonly startedAt: Instant;
  /** Since when its readiness is what it is. */
  readonly since: Instant;
  /** For a running program. */
  readonly composer?: ShownComposer;
  readonly folder?: string;
  readonly branch?: string;
  /** The session that started it. */
  readonly parent?: SessionId;
  /** Bellhop started its program, so that it can stop it and start it again. */
  readonly restartable?: true;
  /** How many texts of the person are kept for it. */
  readonly drafts: number;
}

/** A turn without a terminal that is not over. */
export interface BoardTurn {
  readonly id: string;
  readonly sessionId: SessionId;
  readonly state: TurnState;
  readonly startedAt: Instant;
  readonly runner: string;
  /** What it does at the moment, in a few words. */
  readonly doing?: string;
}

export interface BoardAgent extends Pick<ShownAgent, "name" | "createdAt" | "origin" | "paused" | "queued"> {
  /** Why the first of its messages waits, and what would release it. */
  readonly hold?: Hold;
  /** Grows with each change of a message to it or from it; what changed is in its timeline. */
  readonly mail: number;
  /** A message would start a turn without a terminal. */
  readonly takesTurns?: true;
  readonly turns: readonly BoardTurn[];
  /** In order of arrival; empty if none ever ran. */
  readonly sessions: readonly BoardSession[];
}

/** Only the topics that were asked for. */
export interface Board {
  /** In order of name. */
  readonly agents?: readonly BoardAgent[];
  readonly counts?: Wants;
  readonly attention?: readonly ShownAttention[];
  readonly turns?: {
    readonly switch: TurnsResponse["switch"];
    readonly open: number;
    /** Sessions whose turns wait for their budget. */
    readonly overBudget: number;
  };
  readonly bridges?: readonly ShownBridge[];
  /** Grows with every change of who hears what; its readers then ask who does. */
  readonly broker?: { readonly changes: number };
  readonly health?: Pick<StatusResponse, "warnings" | "trouble">;
}

/** `seq` grows by one with each frame: whoever misses one asks anew. */
export interface BoardSnapshot extends Board {
  readonly seq: number;
}

/** What differs from before: each agent and each topic as a whole. */
export interface BoardChanges extends Board {
  readonly seq: number;
  /** Agents that no longer exist. */
  readonly gone?: readonly AgentName[];
}

export type BoardFrame = { readonly snapshot: BoardSnapshot } | { readonly changes: BoardChanges };
