/**
 * Tells the people at a terminal, outside its composer, what became of the text they had typed there. `record.ts` calls
 * it once that is on disk. Silent if the owner has switched it off; its failures never reach the caller.
 */
import { SENT } from "../../../core/evidence.ts";
import type { KeptDraft } from "../../../ports/store.ts";
import type { OfficeContext } from "../../base/context.ts";
import type { LiveSession } from "../../presence/live-session.ts";

/** Higher counts are not shown. */
export const MOST_COUNTED = 99;

export function announceRestored(
  context: OfficeContext,
  session: LiveSession,
  kept: KeptDraft,
): Promise<void> {
  return announce(context, session, () => restoredLine(countSince(context, session, kept)));
}

/** It could not be restored as it was: how they get it. */
export function announceLeft(context: OfficeContext, session: LiveSession): Promise<void> {
  const { agent, id, main } = session.record;
  // An agent's name denotes its main session.
  const who = main ? agent : id;
  const line = `[bellhop] Your text is kept. To get it back: bellhop draft restore ${who}`;
  return announce(context, session, () => line);
}

/** The text they had typed was sent, and not by them. */
export function announceMixed(context: OfficeContext, session: LiveSession, shortId: string): Promise<void> {
  const line = `[bellhop] Text that stood here was sent together with a message: bellhop show ${shortId}`;
  return announce(context, session, () => line);
}

/** "While delivering", because the arrival of some may not be proven. */
export function restoredLine(messages: number): string {
  if (messages === 0) return "[bellhop] Your text was kept, and is back.";
  const count = messages >= MOST_COUNTED ? `${MOST_COUNTED} or more` : messages;
  return `[bellhop] Your text was kept while delivering ${count} ${messages === 1 ? "message" : "messages"}, and is back.`;
}

function countSince({ store }: OfficeContext, session: LiveSession, { keptAt }: KeptDraft): number {
  const out = store.read.attemptedIn(session.record.id, SENT, MOST_COUNTED);
  return out.filter(({ delivery }) => delivery.attempt !== undefined && delivery.attempt.startedAt >= keptAt)
    .length;
}

async function announce(context: OfficeContext, session: LiveSession, line: () => string): Promise<void> {
  const { settings, log } = context;
  if (!settings().announceRestored) return;
  const about = { session: session.record.id };
  try {
    const outcome = await session.terminal.announce(line());
    if (outcome.kind === "shown") log.info("draft.announced", { ...about, to: outcome.to });
    else log.warn("draft.announce_failed", { ...about, ...outcome });
  } catch (cause) {
    log.warn("draft.announce_failed", { ...about, cause: String(cause) });
  }
}
