/** Which keys bring a text back that was set aside, as its program does it. It presses none. */
import type { KeptDraft } from "../../../ports/store.ts";
import type { Stroke } from "../../../ports/terminal.ts";
import type { OfficeContext } from "../../base/context.ts";
import type { LiveSession } from "../../presence/live-session.ts";

/** Messages that may go in before a draft comes back, with room. */
const MOST_SINCE = 50;

/** What to press, and what to press should that not show it. */
export function waysBack(
  context: OfficeContext,
  session: LiveSession,
  kept: KeptDraft,
): readonly (readonly Stroke[])[] {
  const keeping = session.profile.draftKeeping(session.record.version);
  if (keeping.how === "retype" && kept.how === "retype") return [keeping.retype(kept.text)];
  if (keeping.how === "history" && kept.how === "history") {
    // One step back is the newest entry: what was submitted since comes first, the draft right behind it.
    const since = submittedSince(context, session, kept);
    const back = Array.from({ length: since + 1 }, () => keeping.recall).flat();
    // After a crash a prompt may be in that nobody could prove.
    return since === 0 ? [back, keeping.recall] : [back];
  }
  // Also where no stash shows: its sign may be another in this release, and without one the key does nothing.
  return keeping.how === "stash" && kept.how === "stash" ? [keeping.pop] : [];
}

function submittedSince({ store }: OfficeContext, session: LiveSession, kept: KeptDraft): number {
  const attempts = store.read
    .attemptedIn(session.record.id, ["delivering", "unconfirmed", "delivered", "read", "replied"], MOST_SINCE)
    .map(({ delivery }) => delivery.attempt)
    .filter((attempt) => attempt?.transport === "paste" && attempt.startedAt >= kept.keptAt);
  return new Set(attempts.map((attempt) => attempt?.token)).size;
}
