import type { Instant } from "../message.ts";
import type { Reading } from "./reading.ts";

/** What readiness is concluded from, and how long each sign is trusted. */
export type ReadinessKind = "starting" | "idle" | "busy" | "blocked" | "exited" | "unknown";

export interface Readiness {
  readonly kind: ReadinessKind;
  /** The reason, in a person's words. */
  readonly because: string;
  /** When to look at the screen again, because this conclusion may change by itself. */
  readonly until?: Instant;
  /** If busy. `response-ended`: only sub-agents still run. `draft`: only a draft on a changing screen says so. */
  readonly only?: "response-ended" | "draft";
}

/** Its composer takes a prompt: it is idle, or its response is over although sub-agents still work. */
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

/** A turn begins or ends with it. */
export function isTurnBoundary(event: string | undefined): boolean {
  return event === "prompt-submitted" || event === "turn-ended" || event === "turn-failed";
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
      /** The text above the composer is the same as at the last reading. */
      readonly above?: "as-before";
    }
  /** The program's own record of its state, with the time of the record. */
  | { readonly kind: "native"; readonly status: "idle" | "busy" | "waiting"; readonly at: Instant }
  /** We pressed the interrupt key. No hook follows, so the screen decides. */
  | { readonly kind: "interrupted"; readonly at: Instant }
  /** We handed over a prompt: until the program reports, it counts as busy. */
  | { readonly kind: "handed-over"; readonly at: Instant }
  | { readonly kind: "exited"; readonly at: Instant };

export interface Conclusion {
  readonly concluded: ReadinessKind;
  readonly by: "hook" | "hand-over" | "interrupt" | "screen" | "nothing";
  readonly at: Instant;
}

export interface ReadinessState extends Conclusion {
  /** The conclusion beneath a visible dialog; undefined without a dialog. */
  readonly beneath: Conclusion | undefined;
  /** The program has reported by hook, so the end of a turn will be reported. */
  readonly hooked: boolean;
  readonly newestHookAt: Instant;
  readonly newestNativeAt: Instant;
  /** When a hook or the program's record reported the end of a turn; 0 once one has reported the next. */
  readonly endToldAt: Instant;
  /** Our own last key or hand-over. */
  readonly actedAt: Instant;
  /** The last reading of any kind. */
  readonly readAt: Instant;
  /** When the screen last changed, according to readings. */
  readonly outputAt: Instant;
  /** According to the last reading, the program says itself that it waits for its user. */
  readonly saysReady: boolean;
  /** A prompt came in during a turn: the program runs it after the turn, and no hook reports that. */
  readonly nextTurn: "none" | "queued";
  readonly subAgents: readonly string[];
  readonly settleMs: number;
}

export const TRUST = {
  /** After this long without output, a busy state reported by hook is checked against the screen. */
  busyWithoutOutputMs: 30_000,
  /** The same, if the program says itself that it waits for its user: longer than it takes to draw that a turn began. */
  readyWithoutOutputMs: 5_000,
  /** Without hooks, this much silence over a composer without a busy sign means idle. */
  silenceMs: 2_000,
  /** A hook may be this far ahead of the screen. */
  screenLagMs: 1_000,
  /** After our own interrupt of a program with hooks, this much silence (plus its settling) means idle. */
  shortSilenceMs: 300,
  /** A hand-over that no hook confirms is dropped after this time. */
  handOverMs: 5_000,
  /** A record this far ahead of a reading was made before the clock was set back. */
  clockStepMs: 5_000,
} as const;

/** The oldest is dropped: a lost "stopped" must not let the list grow. */
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
    saysReady: false,
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

/** How long nothing may move until a turn that a hook reported counts as over, although no hook has said so. */
export function silenceInTurn({ saysReady }: ReadinessState): number {
  return saysReady ? TRUST.readyWithoutOutputMs : TRUST.busyWithoutOutputMs;
}

export function silenceNeeded(state: ReadinessState): number {
  const silence = state.by === "interrupt" && state.hooked ? TRUST.shortSilenceMs : TRUST.silenceMs;
  return Math.max(silence, state.settleMs);
}

export function isSettling(state: ReadinessState, now: Instant): boolean {
  return state.by === "hook" && now < state.at + state.settleMs;
}
