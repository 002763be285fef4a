/** Whether the end of a turn is worth a message to somebody who is away. */
import { isLong, turnBegan } from "../../core/desk/turns.ts";
import type { Instant, SessionId } from "../../core/message.ts";
import { ofShownConversation } from "../../core/session.ts";
import type { StoredHookEvent, StoreReader } from "../../ports/store.ts";

/** So that what was said last is in the transcript, and a turn that goes on is not an end. */
export const AFTER_TURN_MS = 2_000;
const LATEST_TURN_MS = 6 * 3_600_000;
const RECENT = 20;

/** A long turn, or one in which something that came from outside was answered. `seen`: when the screen showed its beginning. */
export function isWorthTelling(
  read: StoreReader,
  session: SessionId,
  at: Instant,
  seen: Instant | undefined,
): boolean {
  const began = seen ?? turnBegan(reported(read, session, at), at);
  if (began === undefined) return false;
  if (isLong(began, at)) return true;
  return read
    .attemptedIn(session, ["delivered", "read", "replied", "unconfirmed"], RECENT)
    .some(({ message, delivery }) => {
      const typedAt = delivery.attempt?.startedAt ?? 0;
      // It is typed a moment before the turn begins.
      return message.source === "bridge" && typedAt <= at && typedAt >= began - AFTER_TURN_MS;
    });
}

function reported(read: StoreReader, session: SessionId, at: Instant): readonly StoredHookEvent[] {
  return ofShownConversation(read.hookEvents(session, at - LATEST_TURN_MS), read.session(session));
}
