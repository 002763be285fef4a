import { assertNever } from "./errors.ts";
import type { Instant } from "./message.ts";
import type { Reading } from "./reading.ts";

/**
 * Signals → readiness.
 *
 *   starting ─screen─▶ idle ─prompt─▶ busy ─turn ended, settled, no sub-agent─▶ idle
 *                        ▲              │ dialog
 *                        └──────────────┴────▶ blocked ─dialog gone─▶ busy
 *
 * A hook beats a screen, a screen beats silence; each is trusted for a finite time only.
 */
export type ReadinessKind = "starting" | "idle" | "busy" | "blocked" | "exited" | "unknown";

export interface Readiness {
  readonly kind: ReadinessKind;
  /** Why, in a person's words. */
  readonly because: string;
  /** When this conclusion changes by itself, if it does. */
  readonly until?: Instant;
}

export type TurnEvent =
  | "session-start"
  | "prompt-submitted"
  | "turn-ended"
  | "turn-failed"
  | "permission-asked"
  | "idle-notice"
  | "session-ended";

export type Signal =
  | { readonly kind: "hook"; readonly event: TurnEvent; readonly at: Instant; readonly subAgent?: string }
  | { readonly kind: "sub-agent"; readonly change: "started" | "stopped"; readonly id: string; readonly at: Instant }
  /** A reading of the screen, with the time since its last change. */
  | { readonly kind: "screen"; readonly reading: Reading; readonly at: Instant; readonly quietForMs: number }
  /** We pressed the interrupt key. No hook follows: the screen decides. */
  | { readonly kind: "interrupted"; readonly at: Instant }
  /** We handed over a prompt: until the program says so itself, it is busy. */
  | { readonly kind: "handed-over"; readonly at: Instant }
  | { readonly kind: "exited"; readonly at: Instant };

type Conclusion = Exclude<ReadinessKind, "unknown"> | "unknown";

export interface ReadinessState {
  readonly concluded: Conclusion;
  readonly by: "hook" | "hand-over" | "screen" | "nothing";
  readonly at: Instant;
  /** The program reports by hook, so the end of a turn will be told. */
  readonly hooked: boolean;
  readonly newestHookAt: Instant;
  readonly subAgents: readonly string[];
  /** When the screen last changed, as far as readings told. */
  readonly outputAt: Instant;
  readonly settleMs: number;
}

export const TRUST = {
  /** A busy told by hook, without any output for this long, is read again from the screen. */
  busyWithoutOutputMs: 30_000,
  /** Without hooks, this much silence over an empty composer is idle. */
  silenceMs: 2_000,
  /** A hook may be ahead of the screen by this much. */
  screenLagMs: 1_000,
  /** After our own interrupt or hand-over the screen needs this much silence. */
  shortSilenceMs: 300,
  /** A hand-over that no hook confirms is forgotten after this. */
  handOverMs: 5_000,
} as const;

export function initialReadiness(options: {
  readonly at: Instant;
  readonly hooked: boolean;
  readonly settleMs: number;
}): ReadinessState {
  return {
    concluded: "starting",
    by: "nothing",
    at: options.at,
    hooked: options.hooked,
    newestHookAt: 0,
    subAgents: [],
    outputAt: options.at,
    settleMs: options.settleMs,
  };
}

export function reduceReadiness(state: ReadinessState, signal: Signal): ReadinessState {
  switch (signal.kind) {
    case "hook":
      return reduceHook(state, signal);
    case "sub-agent":
      return {
        ...state,
        hooked: true,
        subAgents:
          signal.change === "started"
            ? [...state.subAgents.filter((id) => id !== signal.id), signal.id]
            : state.subAgents.filter((id) => id !== signal.id),
      };
    case "screen":
      return reduceScreen(state, signal);
    case "interrupted":
      return state.concluded === "exited"
        ? state
        : { ...state, concluded: "busy", by: "screen", at: signal.at, outputAt: signal.at, subAgents: [] };
    case "handed-over":
      return state.concluded === "exited"
        ? state
        : { ...state, concluded: "busy", by: "hand-over", at: signal.at, outputAt: signal.at };
    case "exited":
      return { ...state, concluded: "exited", by: "screen", at: signal.at, subAgents: [] };
    default:
      return assertNever(signal);
  }
}

function reduceHook(
  state: ReadinessState,
  signal: { readonly event: TurnEvent; readonly at: Instant; readonly subAgent?: string },
): ReadinessState {
  // A sub-agent's stop must not flip its parent; a late hook must not undo a newer state.
  if (signal.subAgent !== undefined) return { ...state, hooked: true };
  if (signal.at < state.newestHookAt) return state;
  if (state.concluded === "exited" && signal.event !== "session-start") return state;
  const next = { ...state, hooked: true, newestHookAt: signal.at, by: "hook" as const, at: signal.at };
  switch (signal.event) {
    case "session-start":
      return { ...next, concluded: "starting", subAgents: [], outputAt: signal.at };
    case "prompt-submitted":
      return { ...next, concluded: "busy", outputAt: signal.at };
    case "turn-ended":
      return { ...next, concluded: "idle" };
    case "turn-failed":
    case "idle-notice":
      return { ...next, concluded: "idle", subAgents: [] };
    case "permission-asked":
      return { ...next, concluded: "blocked", outputAt: signal.at };
    case "session-ended":
      return { ...next, concluded: "exited", subAgents: [] };
    default:
      return assertNever(signal.event);
  }
}

function reduceScreen(
  state: ReadinessState,
  signal: { readonly reading: Reading; readonly at: Instant; readonly quietForMs: number },
): ReadinessState {
  if (state.concluded === "exited") return state;
  const outputAt = Math.max(state.outputAt, signal.at - signal.quietForMs);
  const seen = { ...state, outputAt };
  const bySceen = (concluded: Conclusion): ReadinessState =>
    state.concluded === concluded && state.by === "screen"
      ? seen
      : { ...seen, concluded, by: "screen", at: signal.at };
  const { reading } = signal;
  if (reading.kind === "dialog") return state.concluded === "blocked" ? seen : bySceen("blocked");
  const hookIsFresh = state.by === "hook" && signal.at < state.at + TRUST.screenLagMs;
  if (reading.kind === "unknown") {
    if (state.by === "hook") return seen;
    return state.by === "hand-over" && signal.at < state.at + TRUST.handOverMs ? seen : bySceen("unknown");
  }
  if (hookIsFresh) return seen;
  if (reading.busy === "busy") return state.concluded === "busy" ? seen : bySceen("busy");
  if (state.concluded === "blocked") {
    // The dialog is gone. With hooks a turn is still running; without, silence will tell.
    return { ...seen, concluded: "busy", by: state.hooked ? "hook" : "screen", at: signal.at, outputAt: signal.at };
  }
  if (state.concluded === "idle") return idleHolds(seen, reading) ? seen : bySceen("unknown");
  if (state.concluded === "starting" && state.hooked) return { ...seen, concluded: "idle", by: "hook", at: signal.at };
  if (state.by === "hook") {
    const silentFor = signal.at - outputAt;
    return silentFor >= TRUST.busyWithoutOutputMs ? bySceen("idle") : seen;
  }
  if (state.by === "hand-over") {
    if (state.hooked && signal.at < state.at + TRUST.handOverMs) return seen;
    return fromSilence(seen, signal.quietForMs, TRUST.shortSilenceMs, reading, bySceen);
  }
  const silence = state.hooked ? TRUST.shortSilenceMs : TRUST.silenceMs;
  return fromSilence(seen, signal.quietForMs, silence, reading, bySceen);
}

function idleHolds(state: ReadinessState, reading: Extract<Reading, { kind: "composer" }>): boolean {
  return state.hooked || reading.draft.kind === "empty";
}

function fromSilence(
  seen: ReadinessState,
  quietForMs: number,
  silenceMs: number,
  reading: Extract<Reading, { kind: "composer" }>,
  bySceen: (concluded: Conclusion) => ReadinessState,
): ReadinessState {
  if (reading.draft.kind === "text" && !seen.hooked) return bySceen("unknown");
  return quietForMs >= silenceMs ? bySceen("idle") : seen.concluded === "busy" ? seen : bySceen("busy");
}

/** The conclusion at this moment: settling, sub-agents and trust windows applied. */
export function readinessAt(state: ReadinessState, now: Instant): Readiness {
  switch (state.concluded) {
    case "starting":
      return { kind: "starting", because: "the program has not shown its composer yet" };
    case "exited":
      return { kind: "exited", because: "the program has ended" };
    case "blocked":
      return { kind: "blocked", because: "a dialog is open" };
    case "unknown":
      return {
        kind: "unknown",
        because: state.hooked ? "the screen cannot be read" : "the screen cannot be read, or a draft stands there and no hook reports",
      };
    case "busy":
      return state.by === "hook" || state.by === "hand-over"
        ? { kind: "busy", because: "a turn is running", until: state.outputAt + TRUST.busyWithoutOutputMs }
        : { kind: "busy", because: "the screen shows it working", until: state.outputAt + TRUST.silenceMs };
    case "idle": {
      if (state.subAgents.length > 0) {
        return { kind: "busy", because: `${state.subAgents.length} sub-agent(s) still running` };
      }
      const settled = state.at + state.settleMs;
      if (state.by === "hook" && now < settled) {
        return { kind: "busy", because: "the turn has just ended", until: settled };
      }
      return { kind: "idle", because: state.by === "hook" ? "its turn has ended" : "its composer is empty and nothing moves" };
    }
    default:
      return assertNever(state.concluded);
  }
}
