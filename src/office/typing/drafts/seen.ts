/** What a screen shows of a text that was set aside: decided from one reading, nobody is asked. */
import type { Reading } from "../../../core/readiness/reading.ts";
import type { KeptDraft } from "../../../ports/store.ts";
import type { Observation } from "../../presence/observation.ts";

export const NOT_BROUGHT_BACK = "the program did not bring it back";

/**
 * Where the text is that was to be set aside. `aside`: the composer is empty, and the program shows its stash where it
 * has one. `in-composer`: it stands there as it did, at most with more behind it. Everything else is not known.
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

/** A screen drops trailing blanks and folds wraps: those do not count. */
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
