/** A turn as screens show it, without hooks: seen at work, then seen idle. */
import { assertNever } from "../errors.ts";
import { type Reading, showsWork } from "./reading.ts";
import type { Readiness } from "./state.ts";

/** `neither`: a dialog, an unreadable screen, or one that has only just become still. */
export type ShownActivity = "work" | "idle" | "neither";

/** `readiness` must include the reading. A draft on a still screen is no obstacle: it may be a waiting person's. */
export function shownBy(reading: Reading, readiness: Readiness): ShownActivity {
  if (showsWork(reading)) return "work";
  return reading.kind === "composer" && readiness.kind === "idle" ? "idle" : "neither";
}

/**
 *   awaited ──work──▶ at-work ──idle──▶ ended
 *      │                 │ lasts too long
 *      │                 ▼
 *      └──────────────▶ lost
 *        idle when it should have begun; no sign for too long; a person's text is gone, so the next turn may be theirs
 *
 * Times are monotonic.
 */
export type SeenTurn =
  | { readonly at: "awaited"; readonly since: number; readonly personsText: "none" | "stood" }
  | { readonly at: "at-work"; readonly since: number }
  | { readonly at: "ended" }
  /** Nothing that is shown from now on could be told from another turn. */
  | { readonly at: "lost" };

export interface TurnLook {
  readonly now: number;
  readonly shows: ShownActivity;
  /** What is in its composer, if known. */
  readonly draft?: "empty" | "persons" | undefined;
}

const NEVER = Number.POSITIVE_INFINITY;

/** Without a limit, there is no end to the waiting. */
export interface TurnLimits {
  /** Some turns begin late. A program that is idle after this time and was not seen at work will show nothing more. */
  readonly beginsWithinMs?: number;
  /** Applies even if it is never seen idle. */
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
