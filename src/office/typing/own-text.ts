/**
 * Removes our prompt if the program has put it back into its composer because its submit hook stopped it as a second
 * copy. Called by the paste rung under the terminal's lock. It presses keys only while all of the composer's text is
 * ours, never over a person's key, and leaves the rest to the person.
 */
import { essence } from "../../core/text/whole-prompt.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { Observation } from "../presence/observation.ts";
import { expectationAt } from "./gatekeeping.ts";
import { composerText } from "./proof.ts";

const COMES_BACK_MS = 3_000;
const GOES_MS = 1_000;
/** Two for each row of the longest prompt in a narrow terminal. */
const MOST_PRESSES = 60;

export async function removeOwnText(session: LiveSession, prompt: string): Promise<void> {
  const { eraseRow } = session.profile;
  if (eraseRow === undefined) return;
  let left = essence(prompt);
  let seen = await session.watch((now) => draftIn(now) === left, { timeoutMs: COMES_BACK_MS });
  for (let press = 0; press < MOST_PRESSES && seen?.screen !== undefined; press += 1) {
    const outcome = await session.terminal.gate(expectationAt(session, seen, seen.screen), eraseRow);
    if (outcome.kind !== "sent") return;
    const shorter = await session.watch((now) => draftIn(now) !== left, { timeoutMs: GOES_MS });
    const rest = shorter === undefined ? undefined : draftIn(shorter);
    if (rest === undefined || rest === "" || !left.startsWith(rest)) return;
    left = rest;
    seen = shorter;
  }
}

function draftIn(seen: Observation): string | undefined {
  return seen.reading.kind === "composer" ? (composerText(seen) ?? "") : undefined;
}
