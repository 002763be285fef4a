import type { Instant } from "../message.ts";
import type { Reading } from "./reading.ts";

/** What readiness is concluded from, and for how long each sign is trusted. */
export type ReadinessKind = "starting" | "idle" | "busy" | "blocked" | "exited" | "unknown";

export interface Readiness {
  readonly kind: ReadinessKind;
  /** Why, in a person's words. */
  readonly because: string;
  /** When the screen is worth another look, because this conclusion may change by itself. */
  readonly until?: Instant;
  /** Of a busy one. `response-ended`: only its sub-agents still run. `draft`: nothing but a person's text and a screen that moves say so. */
  readonly only?: "response-ended" | "draft";
}

/** Its composer takes a prompt: it is idle, or has said all that it had to say, whoever works for it. */
export function isResponseOver({ kind, only }: Readiness): boolean {
  return kind === "idle" || only === "response-ended";
}

const TURN_EVENTS = [
  "session-start",
  "prompt-submitted",
  "turn-ended",
  "turn-failed",
  "permission-asked",
  "idle-notice",
  "session-ended",
] as const;
export type TurnEvent = (typeof TURN_EVENTS)[number];

export function isTurnEvent(name: string): name is TurnEvent {
  return (TURN_EVENTS as readonly string[]).includes(name);
}

export type Signal =
  | { readonly kind: "hook"; readonly event: TurnEvent; readonly at: Instant; readonly subAgent?: string }
  | {
      readonly kind: "sub-agent";
      readonly change: "started" | "stopped";
      readonly id: string;
      readonly at: Instant;
    }
  /** A reading of the screen, with the time since its last change. */
  | {
      readonly kind: "screen";
      readonly reading: Reading;
      readonly at: Instant;
      readonly quietForMs: number;
      /** What stands above the composer is what stood there at the last reading. */
      readonly above?: "as-before";
    }
  /** The program's own note of its state, with the time it was made. */
  | { readonly kind: "native"; readonly status: "idle" | "busy" | "waiting"; readonly at: Instant }
  /** We pressed the interrupt key. No hook follows: the screen decides. */
  | { readonly kind: "interrupted"; readonly at: Instant }
  /** We handed over a prompt: until the program says so itself, it is busy. */
  | { readonly kind: "handed-over"; readonly at: Instant }
  | { readonly kind: "exited"; readonly at: Instant };

export interface Conclusion {
  readonly concluded: ReadinessKind;
  readonly by: "hook" | "hand-over" | "interrupt" | "screen" | "nothing";
  readonly at: Instant;
}

export interface ReadinessState extends Conclusion {
  /** What holds under a dialog that was seen; undefined while none is. */
  readonly beneath: Conclusion | undefined;
  /** The program reports by hook, so the end of a turn will be told. */
  readonly hooked: boolean;
  readonly newestHookAt: Instant;
  readonly newestNativeAt: Instant;
  /** When a hook or the program's note told that a turn ended, unless one has told of the next since. */
  readonly endToldAt: Instant;
  /** Our own last key or hand-over. */
  readonly actedAt: Instant;
  /** The last reading, of whatever kind. */
  readonly readAt: Instant;
  /** When the screen last changed, as far as readings told. */
  readonly outputAt: Instant;
  /** A prompt came in during a turn: the program runs it after the turn's end, and no hook tells. */
  readonly nextTurn: "none" | "queued";
  readonly subAgents: readonly string[];
  readonly settleMs: number;
}

export const TRUST = {
  /** A busy told by hook, without any output for this long, is read again from the screen. */
  busyWithoutOutputMs: 30_000,
  /** Where no hook tells, this much silence over a composer without a busy sign is idle. */
  silenceMs: 2_000,
  /** A hook may be ahead of the screen by this much. */
  screenLagMs: 1_000,
  /** After our own interrupt of a program with hooks, this much silence (and its settling) is idle. */
  shortSilenceMs: 300,
  /** A hand-over that no hook confirms is forgotten after this. */
  handOverMs: 5_000,
  /** A record this far ahead of a reading's clock was made before the clock was set back. */
  clockStepMs: 5_000,
} as const;

/** The oldest is forgotten: a lost "stopped" must not let the list grow. */
export const MOST_SUB_AGENTS = 64;

export function initialReadiness(options: {
  readonly at: Instant;
  readonly hooked: boolean;
  readonly settleMs: number;
}): ReadinessState {
  return {
    concluded: "starting",
    by: "nothing",
    at: options.at,
    beneath: undefined,
    hooked: options.hooked,
    newestHookAt: 0,
    newestNativeAt: 0,
    endToldAt: 0,
    actedAt: 0,
    readAt: 0,
    outputAt: options.at,
    nextTurn: "none",
    subAgents: [],
    settleMs: options.settleMs,
  };
}

export function exitedAt(at: Instant): Pick<ReadinessState, keyof Conclusion | "subAgents" | "nextTurn"> {
  return { concluded: "exited", by: "screen", at, subAgents: [], nextTurn: "none" };
}

export function uncovered(state: ReadinessState): ReadinessState {
  return state.beneath === undefined ? state : { ...state, ...state.beneath, beneath: undefined };
}

export function covered(state: ReadinessState, since: Instant): ReadinessState {
  const { concluded, by, at } = state;
  return { ...state, beneath: { concluded, by, at }, concluded: "blocked", by: "screen", at: since };
}

export function isSilentFor(seen: ReadinessState, ms: number): boolean {
  return seen.readAt - seen.outputAt >= ms;
}

export function silenceNeeded(state: ReadinessState): number {
  const silence = state.by === "interrupt" && state.hooked ? TRUST.shortSilenceMs : TRUST.silenceMs;
  return Math.max(silence, state.settleMs);
}

export function isSettling(state: ReadinessState, now: Instant): boolean {
  return state.by === "hook" && now < state.at + state.settleMs;
}
