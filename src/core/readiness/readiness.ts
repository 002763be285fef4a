import { assertNever } from "../errors.ts";
import type { Instant } from "../message.ts";
import { reduceHook } from "./from-hooks.ts";
import { reduceNative } from "./from-inbox.ts";
import { reduceScreen } from "./from-screen.ts";
import { type Reading, showsWork } from "./reading.ts";
import {
  covered,
  exitedAt,
  isSettling,
  MOST_SUB_AGENTS,
  type Readiness,
  type ReadinessState,
  type Signal,
  silenceInTurn,
  silenceNeeded,
  TRUST,
  uncovered,
} from "./state.ts";

export {
  initialReadiness,
  isResponseOver,
  isTurnBoundary,
  isTurnEvent,
  type Readiness,
  type ReadinessKind,
  type ReadinessState,
  type Signal,
  TRUST,
  type TurnEvent,
} from "./state.ts";

/**
 * Signals → readiness.
 *
 *   starting ─screen─▶ idle ─prompt─▶ busy ─turn ended, settled, no sub-agent─▶ idle
 *                        ▲              │ dialog
 *                        └──────────────┴────▶ blocked ─dialog gone─▶ busy
 *
 * A hook (or the program's own record of its state) beats a screen, a screen beats silence; each is trusted for a
 * limited time. A dialog covers everything else until a reading shows that it is gone: until then, hooks change what
 * is beneath it.
 */
export function reduceReadiness(state: ReadinessState, signal: Signal): ReadinessState {
  switch (signal.kind) {
    case "hook":
      return underDialog(state, (turn) => reduceHook(turn, signal));
    case "native":
      return underDialog(state, (turn) => reduceNative(turn, signal));
    case "sub-agent":
      return state.concluded === "exited" ? state : withSubAgent(state, signal);
    case "screen":
      return state.concluded === "exited" ? state : reduceScreen(onClock(state, signal.at), signal);
    case "interrupted":
    case "handed-over":
      return underDialog(state, (turn) => reduceOwnAct(turn, signal));
    case "exited":
      return state.concluded === "exited" ? state : { ...uncovered(state), ...exitedAt(signal.at) };
    default:
      return assertNever(signal);
  }
}

function underDialog(
  state: ReadinessState,
  change: (turn: ReadinessState) => ReadinessState,
): ReadinessState {
  const changed = change(uncovered(state));
  return state.beneath === undefined || changed.concluded === "exited" ? changed : covered(changed, state.at);
}

/**
 * If the clock was set back, records from the future would silence every later hook. Only a reading can tell: it is
 * always current, while a hook or the record of our own act may come late.
 */
function onClock(state: ReadinessState, now: Instant): ReadinessState {
  const { at, newestHookAt, newestNativeAt, actedAt, readAt, outputAt } = state;
  if (Math.max(at, newestHookAt, newestNativeAt, actedAt, readAt, outputAt) <= now + TRUST.clockStepMs)
    return state;
  const past = (instant: Instant): Instant => Math.min(instant, now);
  return {
    ...state,
    at: past(at),
    beneath: state.beneath && { ...state.beneath, at: past(state.beneath.at) },
    newestHookAt: past(newestHookAt),
    newestNativeAt: past(newestNativeAt),
    endToldAt: past(state.endToldAt),
    actedAt: past(actedAt),
    readAt: past(readAt),
    outputAt: past(outputAt),
  };
}

function withSubAgent(state: ReadinessState, signal: Extract<Signal, { kind: "sub-agent" }>): ReadinessState {
  const others = state.subAgents.filter((id) => id !== signal.id);
  const subAgents = signal.change === "started" ? [...others, signal.id].slice(-MOST_SUB_AGENTS) : others;
  return { ...state, hooked: true, subAgents };
}

function reduceOwnAct(
  state: ReadinessState,
  signal: Extract<Signal, { kind: "interrupted" | "handed-over" }>,
): ReadinessState {
  if (state.concluded === "exited") return state;
  const acted = {
    ...state,
    actedAt: Math.max(state.actedAt, signal.at),
    outputAt: Math.max(state.outputAt, signal.at),
  };
  // Hooks may be faster than the record of our own act: they already report its effect.
  if (signal.at < state.newestHookAt) return acted;
  if (signal.kind === "interrupted") {
    return { ...acted, concluded: "busy", by: "interrupt", at: signal.at, subAgents: [], nextTurn: "none" };
  }
  // A prompt during a turn ends neither that turn nor what its hook reported.
  const inTurn = state.concluded === "busy" && state.by === "hook";
  return inTurn ? acted : { ...acted, concluded: "busy", by: "hand-over", at: signal.at };
}

/** The conclusion at this moment: settling, sub-agents and trust windows applied. */
export function readinessAt(state: ReadinessState, now: Instant): Readiness {
  switch (state.concluded) {
    case "starting":
      return {
        kind: "starting",
        because: "the program has not shown its composer yet",
        ...lookAgain(state, state.outputAt + silenceNeeded(state)),
      };
    case "exited":
      return { kind: "exited", because: "the program has ended" };
    case "blocked":
      return {
        kind: "blocked",
        because: "a dialog is open",
        ...lookAgain(state, state.beneath === undefined ? state.at + TRUST.screenLagMs : state.newestHookAt),
      };
    case "unknown":
      return { kind: "unknown", because: "the screen cannot be read" };
    case "busy":
      return { kind: "busy", ...whyBusy(state) };
    case "idle":
      if (isSettling(state, now)) {
        return { kind: "busy", because: "the turn has just ended", until: state.at + state.settleMs };
      }
      if (state.subAgents.length > 0) {
        const quietSince = Math.max(state.outputAt, state.at);
        return {
          kind: "busy",
          because: `${state.subAgents.length} sub-agent(s) still running`,
          only: "response-ended",
          ...lookAgain(state, quietSince + TRUST.busyWithoutOutputMs),
        };
      }
      return {
        kind: "idle",
        because: state.by === "hook" ? "its turn has ended" : "nothing moves at its composer",
      };
    default:
      return assertNever(state.concluded);
  }
}

function whyBusy(state: ReadinessState): Omit<Readiness, "kind"> {
  const silentAt = state.outputAt + silenceNeeded(state);
  switch (state.by) {
    case "hook":
      return {
        because: "a turn is running",
        ...lookAgain(state, state.outputAt + silenceInTurn(state)),
      };
    case "hand-over":
      return {
        because: "a message has just been handed over",
        ...lookAgain(state, state.hooked ? Math.max(state.at + TRUST.handOverMs, silentAt) : silentAt),
      };
    case "interrupt":
      return { because: "it has just been interrupted", ...lookAgain(state, silentAt) };
    case "screen":
    case "nothing":
      return { because: "the screen shows it working", ...lookAgain(state, silentAt) };
    default:
      return assertNever(state.by);
  }
}

/** No further look if the screen was read after that moment without a change. */
function lookAgain(state: ReadinessState, at: Instant): Pick<Readiness, "until"> | Record<never, never> {
  return state.readAt < at ? { until: at } : {};
}

/**
 * For the queue: without hooks, a screen that changes while there is a draft may be the work of the program or of the
 * person. Nothing is typed until it is still; then the input guard decides. Until then, messages wait for the draft.
 */
export function readinessForQueue(
  readiness: Readiness,
  { hooked }: ReadinessState,
  reading: Reading,
  quietForMs: number,
): Readiness {
  const drafted = reading.kind === "composer" && reading.draft.kind === "text" && !showsWork(reading);
  if (hooked || !drafted || quietForMs >= TRUST.silenceMs) return readiness;
  if (readiness.kind !== "idle" && readiness.kind !== "busy") return readiness;
  return { ...readiness, kind: "busy", because: "somebody writes there", only: "draft" };
}

/**
 * Whether it may be in a turn, so that a prompt may only be queued: not if it is only settling, or the screen has just
 * changed. This does not justify a key: see `turnSign`.
 */
export function mayBeInTurn(state: ReadinessState, reading: Reading): boolean {
  if (reading.kind !== "dialog" && reading.busy === "busy") return true;
  return state.concluded === "busy" && (state.by === "hook" || state.by === "hand-over");
}
