/** A turn as screens show it, where no hook tells of it: seen at work, then seen idle. */
import { assertNever } from "../errors.ts";
import { type Reading, showsWork } from "./reading.ts";
import type { Readiness } from "./state.ts";

/** `neither`: a dialog, a screen that cannot be read, or one that has only just come to rest. */
export type ShownActivity = "work" | "idle" | "neither";

/** `readiness` has taken in the reading. A draft over a still screen hides nothing: it may be that of a person who waits. */
export function shownBy(reading: Reading, readiness: Readiness): ShownActivity {
  if (showsWork(reading)) return "work";
  return reading.kind === "composer" && readiness.kind === "idle" ? "idle" : "neither";
}

/**
 *   awaited ──work──▶ at-work ──idle──▶ ended
 *      │                 │ goes on too long
 *      │                 ▼
 *      └──────────────▶ lost
 *        idle, and late; no sign for too long; a person's text that stood there is gone, so the next turn may be theirs
 *
 * Times are of a clock that nobody sets.
 */
export type SeenTurn =
  | { readonly at: "awaited"; readonly since: number; readonly personsText: "none" | "stood" }
  | { readonly at: "at-work"; readonly since: number }
  | { readonly at: "ended" }
  /** Nothing will show any more that could be told from another turn. */
  | { readonly at: "lost" };

export interface TurnLook {
  readonly now: number;
  readonly shows: ShownActivity;
  /** What stands in its composer, where that is known. */
  readonly draft?: "empty" | "persons" | undefined;
}

const NEVER = Number.POSITIVE_INFINITY;

/** Without a limit it is waited for. */
export interface TurnLimits {
  /** Some begin a moment late. A program that is idle after that, and was not seen at work, has shown all that it will. */
  readonly beginsWithinMs?: number;
  /** Not even where it is never seen idle. */
  readonly signWithinMs?: number;
  readonly longestMs?: number;
}

export function awaitedTurn(now: number): SeenTurn {
  return { at: "awaited", since: now, personsText: "none" };
}

export function stepTurn(turn: SeenTurn, look: TurnLook, limits: TurnLimits = {}): SeenTurn {
  switch (turn.at) {
    case "awaited":
      return stepAwaited(turn, look, limits);
    case "at-work":
      if (look.now - turn.since > (limits.longestMs ?? NEVER)) return { at: "lost" };
      return look.shows === "idle" ? { at: "ended" } : turn;
    case "ended":
    case "lost":
      return turn;
    default:
      return assertNever(turn);
  }
}

function stepAwaited(
  turn: Extract<SeenTurn, { at: "awaited" }>,
  { now, shows, draft }: TurnLook,
  { beginsWithinMs = NEVER, signWithinMs = NEVER }: TurnLimits,
): SeenTurn {
  const passedMs = now - turn.since;
  const isPersons = turn.personsText === "stood" && draft === "empty";
  if (isPersons || passedMs > signWithinMs) return { at: "lost" };
  if (shows === "work") return { at: "at-work", since: turn.since };
  if (shows === "idle" && passedMs >= beginsWithinMs) return { at: "lost" };
  return draft === "persons" ? { ...turn, personsText: "stood" } : turn;
}
