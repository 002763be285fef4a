/** What it means for keys where the addressed program stands: asked right before they go in, and right after. */
import { assertNever } from "../core/errors.ts";
import { isSuspended, type Standing } from "../core/readiness/standing.ts";
import type { GateOutcome } from "../ports/terminal.ts";

/** Undefined when keys would reach it. */
export function refusalOf(standing: Standing): Exclude<GateOutcome, { kind: "sent" }> | undefined {
  switch (standing) {
    case "in-front":
      return undefined;
    case "stopped":
    case "behind":
      return { kind: "refused", because: ["suspended"] };
    case "gone":
      return { kind: "gone" };
    case "unknown":
      return { kind: "refused", because: ["unavailable"] };
    default:
      return assertNever(standing);
  }
}

/** Keys that went in just as it was suspended may have gone to the program that came to the front. */
export function outcomeAfter(outcome: GateOutcome, standing: Standing, strokes: number): GateOutcome {
  if (outcome.kind !== "sent" || !isSuspended(standing)) return outcome;
  return strokes === 0
    ? { kind: "refused", because: ["suspended"] }
    : { kind: "unknown", cause: "the program was suspended at that very moment" };
}
