/** What one look at a session's terminal shows. Pure. */
import type { Reading } from "../../core/readiness/reading.ts";
import type { Screen } from "../../core/readiness/screen.ts";
import {
  isSuspended,
  type Standing,
  type Suspension,
  suspensionShown,
} from "../../core/readiness/standing.ts";
import type { ScreenOutcome } from "../../ports/terminal.ts";

export interface Observation {
  readonly reading: Reading;
  readonly screen: Screen | undefined;
  readonly digest: string | undefined;
  /** For how long at least nobody had pressed a key then; undefined: not known. */
  readonly quietForMs?: number;
  /** When the look began; `lock`: see `OneAtATime.free`. */
  readonly began?: { readonly atMonotonic: number; readonly lock: number | undefined };
  /** The program is not in front of its terminal: the screen is not its own, and was not read. */
  readonly suspension?: Suspension;
  /** Its process has ended, whatever its terminal shows. */
  readonly hasEnded?: true;
}

export function unseen(why: string): Observation {
  return { reading: { kind: "unknown", why }, screen: undefined, digest: undefined };
}

export function textAboveComposer({ reading, screen }: Observation): string | undefined {
  if (reading.kind !== "composer" || screen === undefined) return undefined;
  const rows = reading.draft.kind === "text" ? reading.draft.lines : 1;
  const lines = screen.lines.slice(0, Math.max(0, reading.caret.y - rows + 1));
  return lines.map(({ text }) => text).join("\n");
}

/** A dialog covers the composer and does not contradict; any other reading must show the same text. */
export function stillStands(text: string, reading: Reading): boolean {
  if (reading.kind === "dialog") return true;
  return reading.kind === "composer" && reading.draft.kind === "text" && reading.draft.text === text;
}

/** The program is not in front, so what its terminal shows is not read. */
export function unproven(
  outcome: PromiseSettledResult<ScreenOutcome>,
  standing: Exclude<Standing, "in-front">,
): Observation {
  if (isSuspended(standing)) return { ...unseen(suspensionShown(standing)), suspension: standing };
  if (standing === "gone") return { ...unseen("the program has ended"), hasEnded: true };
  const isGone = outcome.status === "fulfilled" && outcome.value.kind === "gone";
  return unseen(
    isGone ? "its terminal is gone" : "the system does not say whether it is in front of its terminal",
  );
}
