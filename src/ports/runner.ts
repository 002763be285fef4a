/** Runs one headless turn of a program. The adapter knows processes; the office knows turns. */
import type { SessionId } from "../core/message.ts";
import type { ProcessIdentity } from "./processes.ts";

export interface TurnOrder {
  readonly turnId: string;
  readonly runner: string;
  /** For the runner `command`. */
  readonly command: readonly string[];
  readonly sessionId: SessionId;
  readonly agent: string;
  /** The program's own id of the conversation, if there is one to go on with. */
  readonly conversation?: string;
  readonly folder: string;
  readonly prompt: string;
  readonly role?: string;
  readonly model?: string;
  readonly tools: readonly string[];
  readonly permissionMode?: string;
  readonly deadlineMs: number;
}

export interface TurnReport {
  /** The program's own id of the conversation. */
  readonly conversation?: string;
  readonly usd?: number;
  readonly tokensIn?: number;
  readonly tokensOut?: number;
}

export type TurnOutcome =
  | ({ readonly kind: "answered"; readonly answer: string } & TurnReport)
  /** It ran and failed: what it did before is unknown. */
  | ({ readonly kind: "failed"; readonly why: string } & TurnReport)
  /** Nothing was run. */
  | { readonly kind: "not-started"; readonly why: string }
  | ({ readonly kind: "late" } & TurnReport)
  | ({ readonly kind: "stopped" } & TurnReport);

export interface TurnHandover {
  readonly signal: AbortSignal;
  /** Awaited before the program runs: whoever comes after a crash must be able to end it. */
  started(process: ProcessIdentity): Promise<void>;
  /** What it does at the moment, in a few words. */
  doing(what: string): void;
}

export interface TriageQuestion {
  readonly runner: string;
  readonly model: string;
  readonly prompt: string;
  readonly timeoutMs: number;
}

export interface Runner {
  /** Why this runner cannot run here; undefined if it can. */
  obstacle(runner: string, command: readonly string[], folder?: string): string | undefined;
  run(order: TurnOrder, handover: TurnHandover): Promise<TurnOutcome>;
  /** A question to a small model, without tools and without a conversation. */
  ask(
    question: TriageQuestion,
    signal: AbortSignal,
  ): Promise<{ readonly answer: string; readonly usd?: number } | { readonly none: string }>;
  /** Ends what a turn of an earlier daemon left running, and resolves when it is gone. */
  end(process: ProcessIdentity): Promise<void>;
}
