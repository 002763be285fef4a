/**
 * What justifies the interrupt key. Over an idle composer Escape arms or opens something else in every program known,
 * so it is asked for the very reading at whose gate the key would be pressed. That we handed something over is no sign:
 * its turn may not have begun, or be over already.
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
  /** Since whoever wants to press began to look. */
  readonly watchedForMs: number;
}

/** `state` has taken in the reading. Undefined: nothing says that a turn runs at this moment. */
export function turnSign(state: ReadinessState, look: Look): TurnSign | undefined {
  const { reading } = look;
  if (isEndJustTold(state, look.now)) return undefined;
  if (showsWork(reading)) return "screen";
  if (reading.kind !== "composer") return undefined;
  return state.concluded === "busy" && state.by === "hook" && !showsIdle(look) ? "hook" : undefined;
}

/** The screen may still show the turn that a hook has ended. */
function isEndJustTold({ endToldAt, settleMs }: ReadinessState, now: Instant): boolean {
  return now < endToldAt + Math.max(TRUST.screenLagMs, settleMs);
}

/** A hook alone is believed while the screen moves and says nothing else, once one of the end would have come. */
function showsIdle({ reading, quietForMs, watchedForMs }: Look): boolean {
  if (reading.kind === "composer" && reading.busy === "idle") return true;
  return quietForMs >= TRUST.silenceMs || watchedForMs < TRUST.screenLagMs;
}
