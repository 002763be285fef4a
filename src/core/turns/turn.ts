/** A headless turn of one session, from the moment its messages were chosen until its answer is recorded. */
import type { AgentName, DeliveryId, Instant, SessionId } from "../message.ts";

/**
 * triage ──▶ running ──▶ answering ──▶ done
 *    │          ├─▶ telling ──▶ failed
 *    │          ├─▶ interrupted: the daemon ended during it, and its messages went into another one
 *    │          └─▶ stopped, by a person
 *    └─▶ declined, failed, interrupted, stopped
 *
 * While it is `answering`, its answer is recorded and goes out; while it is `telling`, those who wrote learn that it
 * failed. After a crash it goes on from there.
 */
export const TURN_STATES = [
  "triage",
  "running",
  "answering",
  "telling",
  "done",
  "failed",
  "declined",
  "interrupted",
  "stopped",
] as const;
export type TurnState = (typeof TURN_STATES)[number];
export const OPEN_TURN_STATES = [
  "triage",
  "running",
  "answering",
  "telling",
] as const satisfies readonly TurnState[];

export interface Turn {
  readonly id: string;
  readonly agent: AgentName;
  readonly sessionId: SessionId;
  readonly runner: string;
  readonly deliveries: readonly DeliveryId[];
  readonly state: TurnState;
  /** Asked for by a person or a program: not triaged. */
  readonly triggered: boolean;
  /** It follows one that was interrupted, and may repeat what that one did. */
  readonly again: boolean;
  readonly startedAt: Instant;
  /** Once it is no longer open: without it, it is never forgotten. */
  readonly endedAt?: Instant;
  /** What runs it: ended first if the daemon finds it after a crash. */
  readonly process?: { readonly pid: number; readonly startedAt: string };
  readonly verdict?: "yes" | "no";
  readonly because?: string;
  readonly answer?: string;
  readonly error?: string;
  readonly usd?: number;
  readonly tokensIn?: number;
  readonly tokensOut?: number;
}

const NEXT: Readonly<Record<TurnState, readonly TurnState[]>> = {
  triage: ["running", "declined", "failed", "interrupted", "stopped"],
  running: ["answering", "telling", "failed", "interrupted", "stopped"],
  answering: ["done"],
  telling: ["failed"],
  done: [],
  failed: [],
  declined: [],
  interrupted: [],
  stopped: [],
};

export function mayBecome(from: TurnState, to: TurnState): boolean {
  return NEXT[from].includes(to);
}
