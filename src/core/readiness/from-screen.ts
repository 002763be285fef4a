/** What a reading of the screen tells if no hook knows better. */
import { assertNever } from "../errors.ts";
import { type Reading, showsWork } from "./reading.ts";
import {
  covered,
  isSettling,
  isSilentFor,
  type ReadinessKind,
  type ReadinessState,
  type Signal,
  silenceInTurn,
  silenceNeeded,
  TRUST,
  uncovered,
} from "./state.ts";

type Composer = Extract<Reading, { kind: "composer" }>;

export function reduceScreen(
  state: ReadinessState,
  signal: Extract<Signal, { kind: "screen" }>,
): ReadinessState {
  if (signal.at < state.readAt) return state;
  const outputAt = Math.max(state.outputAt, signal.at - Math.max(0, signal.quietForMs));
  const { reading } = signal;
  const saysReady = reading.kind === "composer" && reading.saysReady === true;
  const seen = { ...state, outputAt, readAt: signal.at, saysReady };
  switch (reading.kind) {
    case "dialog":
      return seen.beneath === undefined ? covered(seen, signal.at) : seen;
    case "unknown":
      if (showsWork(reading)) return atWork(uncovered(seen));
      return seen.beneath === undefined ? unreadable(seen) : byScreen(uncovered(seen), "unknown");
    case "composer":
      return seen.beneath === undefined
        ? atComposer(seen, { ...signal, reading })
        : afterDialog(uncovered(seen));
    default:
      return assertNever(reading);
  }
}

/** `seen.readAt` is the time of the current reading. */
function byScreen(seen: ReadinessState, concluded: ReadinessKind): ReadinessState {
  return seen.concluded === concluded && seen.by === "screen"
    ? seen
    : { ...seen, concluded, by: "screen", at: seen.readAt };
}

function unreadable(seen: ReadinessState): ReadinessState {
  const trusted =
    seen.by === "hook"
      ? seen.concluded !== "busy" || !isSilentFor(seen, TRUST.busyWithoutOutputMs)
      : seen.by === "hand-over" && seen.readAt < seen.at + TRUST.handOverMs;
  return trusted ? seen : byScreen(seen, "unknown");
}

/** The turn that asked continues, whatever the answer; if no hook reported one, the screen will show it. */
function afterDialog(seen: ReadinessState): ReadinessState {
  const inTurn = seen.by === "hook" && (seen.concluded === "busy" || seen.concluded === "blocked");
  const by = inTurn ? "hook" : "screen";
  return { ...seen, concluded: "busy", by, at: seen.readAt, outputAt: seen.readAt };
}

function atWork(seen: ReadinessState): ReadinessState {
  const lagging = seen.concluded === "idle" && isSettling(seen, seen.readAt);
  return lagging || seen.concluded === "busy" ? seen : byScreen(seen, "busy");
}

/** A hook reported the end, no prompt since, and sub-agents, for which the screen now says the program waits. */
function hasAnswered({ endToldAt, subAgents, actedAt }: ReadinessState): boolean {
  return endToldAt > 0 && endToldAt >= actedAt && subAgents.length > 0;
}

function answered(seen: ReadinessState): ReadinessState {
  return seen.concluded === "idle" ? seen : { ...seen, concluded: "idle", by: "hook", at: seen.endToldAt };
}

function atComposer(
  seen: ReadinessState,
  { reading, above }: { readonly reading: Composer; readonly above?: "as-before" },
): ReadinessState {
  if (seen.concluded === "blocked") {
    return seen.readAt < seen.at + TRUST.screenLagMs ? seen : afterDialog(seen);
  }
  if (reading.busy === "background" && hasAnswered(seen)) return answered(seen);
  if (showsWork(reading)) return atWork(seen);
  if (seen.concluded === "idle" && seen.hooked) {
    const quietSince = Math.max(seen.outputAt, seen.at);
    const forgotten = seen.readAt - quietSince >= TRUST.busyWithoutOutputMs;
    return forgotten && seen.subAgents.length > 0 ? { ...seen, subAgents: [] } : seen;
  }
  if (seen.concluded === "busy" && seen.by === "hook") {
    return isSilentFor(seen, silenceInTurn(seen)) ? byScreen(seen, "idle") : seen;
  }
  const confirming = seen.by === "hand-over" && seen.hooked && seen.readAt < seen.at + TRUST.handOverMs;
  if (confirming) return seen;
  if (isSilentFor(seen, silenceNeeded(seen))) return byScreen(seen, "idle");
  // A person's keys also change the screen, but nothing above the line they write in.
  if (seen.concluded === "idle" && reading.draft.kind === "text" && above === "as-before") return seen;
  return seen.concluded === "busy" ? seen : byScreen(seen, "busy");
}
