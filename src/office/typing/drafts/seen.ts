/** What a screen shows of a text that was set aside. Decided from one reading; nothing is queried. */
import type { Reading } from "../../../core/readiness/reading.ts";
import type { KeptDraft } from "../../../ports/store.ts";
import type { Observation } from "../../presence/observation.ts";

export const NOT_BROUGHT_BACK = "the program did not bring it back";

/**
 * Where a text is that was to be set aside. `aside`: the composer is empty, and the program shows its stash if it has
 * one. `in-composer`: it is where it was, at most with more text after it. Everything else is unknown.
 */
export function whereDraftIs(reading: Reading, kept: KeptDraft): "aside" | "in-composer" | "unknown" {
  if (reading.kind !== "composer") return "unknown";
  if (reading.draft.kind === "empty")
    return kept.how !== "stash" || reading.stash === "shown" ? "aside" : "unknown";
  const stands = squeeze(reading.draft.text).startsWith(squeeze(kept.text));
  return stands && reading.stash === "none" ? "in-composer" : "unknown";
}

export function isEmptyComposer({ reading }: Observation): boolean {
  return reading.kind === "composer" && reading.draft.kind === "empty";
}

export function notBack(seen: Observation): string {
  return isEmptyComposer(seen)
    ? NOT_BROUGHT_BACK
    : "it was brought back but looks different: check the composer";
}

/** White space is ignored: a screen drops trailing blanks and wraps lines. */
export function shows({ reading }: Observation, text: string): boolean {
  return (
    reading.kind === "composer" &&
    reading.draft.kind === "text" &&
    squeeze(reading.draft.text) === squeeze(text)
  );
}

function squeeze(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
