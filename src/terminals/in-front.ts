/** Whether keys would reach the addressed program. Checked right before they are sent and again right after. */
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

/** If the program was suspended while keys were sent, they may have reached the program now in front. */
export function outcomeAfter(outcome: GateOutcome, standing: Standing, strokes: number): GateOutcome {
  if (outcome.kind !== "sent" || !isSuspended(standing)) return outcome;
  return strokes === 0
    ? { kind: "refused", because: ["suspended"] }
    : { kind: "unknown", cause: "the program was suspended at that very moment" };
}
