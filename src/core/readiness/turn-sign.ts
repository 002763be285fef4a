/**
 * What justifies the interrupt key. Over an idle composer, Escape does something else in every known program, so the
 * sign must be in the same reading whose gate the key would pass. Having handed something over is not a sign: its turn
 * may not have begun, or may be over already.
 */
import type { Instant } from "../message.ts";
import { type Reading, showsWork } from "./reading.ts";
import { type ReadinessState, TRUST } from "./state.ts";

export type TurnSign = "screen" | "hook";

export interface Look {
  readonly reading: Reading;
  readonly now: Instant;
  /** Since the screen last changed. */
  readonly quietForMs: number;
  /** Since the caller that wants to press the key began to look. */
  readonly watchedForMs: number;
}

/** `state` must include the reading. Undefined: nothing shows that a turn runs now. */
export function turnSign(state: ReadinessState, look: Look): TurnSign | undefined {
  const { reading } = look;
  if (isEndJustTold(state, look.now)) return undefined;
  if (showsWork(reading)) return "screen";
  if (reading.kind !== "composer") return undefined;
  return state.concluded === "busy" && state.by === "hook" && !showsIdle(look) ? "hook" : undefined;
}

/** The screen may still show the turn whose end a hook has just reported. */
function isEndJustTold({ endToldAt, settleMs }: ReadinessState, now: Instant): boolean {
  return now < endToldAt + Math.max(TRUST.screenLagMs, settleMs);
}

/** A hook alone counts only while the screen changes without showing idle, and once a hook of the end would be in. */
function showsIdle({ reading, quietForMs, watchedForMs }: Look): boolean {
  if (reading.kind === "composer" && reading.busy === "idle") return true;
  return quietForMs >= TRUST.silenceMs || watchedForMs < TRUST.screenLagMs;
}
