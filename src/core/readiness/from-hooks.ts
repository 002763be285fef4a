/** What a program's own hooks tell about its turns. */
import { assertNever } from "../errors.ts";
import type { Instant } from "../message.ts";
import { exitedAt, type ReadinessState, type Signal, TRUST } from "./state.ts";

export function reduceHook(state: ReadinessState, signal: Extract<Signal, { kind: "hook" }>): ReadinessState {
  // A sub-agent's stop must not change the parent's state; a late hook must not undo a newer state.
  if (signal.subAgent !== undefined) return { ...state, hooked: true };
  if (signal.at < state.newestHookAt) return state;
  if (state.concluded === "exited" && (signal.event !== "session-start" || signal.at < state.at))
    return state;
  const told = { ...state, hooked: true, newestHookAt: signal.at, endToldAt: endTold(state, signal) };
  if (isOutdated(state, signal)) return endsBeforeOurAct(state, signal) ? handedOver(told) : told;
  const next = { ...told, by: "hook" as const, at: signal.at };
  const outputAt = Math.max(state.outputAt, signal.at);
  switch (signal.event) {
    case "session-start":
      return { ...next, concluded: "starting", subAgents: [], nextTurn: "none", outputAt };
    case "prompt-submitted": {
      const inTurn = state.concluded === "busy" && state.by === "hook";
      return { ...next, concluded: "busy", nextTurn: inTurn ? "queued" : "none", outputAt };
    }
    case "turn-ended":
    case "turn-failed": {
      const subAgents = signal.event === "turn-failed" ? [] : state.subAgents;
      return state.nextTurn === "queued"
        ? { ...next, concluded: "busy", by: "screen", nextTurn: "none", subAgents, outputAt }
        : { ...next, concluded: "idle", subAgents };
    }
    case "idle-notice":
      return { ...next, concluded: "idle", subAgents: [], nextTurn: "none" };
    case "permission-asked":
      return { ...next, concluded: "blocked", outputAt };
    case "session-ended":
      return { ...next, ...exitedAt(signal.at) };
    default:
      return assertNever(signal.event);
  }
}

function endTold({ endToldAt }: ReadinessState, { event, at }: Extract<Signal, { kind: "hook" }>): Instant {
  if (event === "turn-ended" || event === "turn-failed" || event === "idle-notice") return at;
  return event === "prompt-submitted" ? 0 : endToldAt;
}

/** The reported turn is over; the program is busy only with what we handed over since. */
function endsBeforeOurAct(state: ReadinessState, signal: Extract<Signal, { kind: "hook" }>): boolean {
  const ends = signal.event === "turn-ended" || signal.event === "turn-failed";
  return ends && state.concluded === "busy" && state.by === "hook" && signal.at < state.actedAt;
}

function handedOver(state: ReadinessState): ReadinessState {
  return { ...state, by: "hand-over", at: state.actedAt, nextTurn: "none" };
}

/** Something newer is known that this hook would undo. A hook that makes us more careful is never outdated. */
function isOutdated(state: ReadinessState, signal: Extract<Signal, { kind: "hook" }>): boolean {
  if (signal.event === "permission-asked" || signal.event === "session-ended") return false;
  if (state.concluded === "exited") return false;
  if (signal.at < state.actedAt) return true;
  if (state.concluded !== "busy" || signal.event === "prompt-submitted") return false;
  if (state.by === "screen") return signal.at + TRUST.screenLagMs < state.at;
  // It means "idle for a minute": a prompt in the last seconds contradicts it.
  return signal.event === "idle-notice" && signal.at < state.at + TRUST.handOverMs;
}
