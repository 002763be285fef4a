/** What a program records about its own state: as good as a hook, and there even if no hook fires (Escape). */
import { assertNever } from "../errors.ts";
import type { ReadinessState, Signal } from "./state.ts";

export function reduceNative(
  state: ReadinessState,
  signal: Extract<Signal, { kind: "native" }>,
): ReadinessState {
  const told = state.hooked ? state : { ...state, hooked: true };
  // The record is read repeatedly: it counts only if it is newer than everything known.
  if (state.concluded === "exited" || signal.at <= state.newestNativeAt) return told;
  const newest = { ...told, newestNativeAt: signal.at };
  if (signal.at < state.newestHookAt || signal.at < state.actedAt) return newest;
  const next = { ...newest, by: "hook" as const, at: signal.at };
  switch (signal.status) {
    case "idle":
      return { ...next, concluded: "idle", nextTurn: "none", subAgents: [], endToldAt: signal.at };
    case "busy": {
      const outputAt = Math.max(state.outputAt, signal.at);
      return { ...next, concluded: "busy", nextTurn: "none", outputAt, endToldAt: 0 };
    }
    case "waiting":
      return { ...next, concluded: "blocked", outputAt: Math.max(state.outputAt, signal.at) };
    default:
      return assertNever(signal.status);
  }
}
