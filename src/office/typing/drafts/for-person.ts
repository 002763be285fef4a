/**
 * `bellhop draft restore` and `discard`: the person asks for their text, or gives it up. Types only into an empty
 * composer and presses no Enter.
 */
import { BellhopError } from "../../../core/errors.ts";
import type { SessionId } from "../../../core/message.ts";
import type { KeptDraft } from "../../../ports/store.ts";
import type { Stroke } from "../../../ports/terminal.ts";
import type { OfficeContext } from "../../base/context.ts";
import type { LiveSession } from "../../presence/live-session.ts";
import { expectationAt } from "../gatekeeping.ts";
import { settleDraft } from "./record.ts";
import type { RestoreDrafts } from "./restore-drafts.ts";
import { isEmptyComposer } from "./seen.ts";

/** On request, also restores a draft that was left to the person, as far as it could be read. */
export async function restoreForPerson(
  context: OfficeContext,
  restoring: RestoreDrafts,
  session: LiveSession,
): Promise<KeptDraft> {
  const open = await restoring.restoreOpen(session);
  if (open !== undefined) return open;
  const { store } = context;
  const left = store.read
    .keptDrafts({ sessionId: session.record.id })
    .findLast(({ state }) => state === "left-to-person");
  if (left === undefined) throw none();
  return session.lock.hold(async () => {
    const seen = await session.observe();
    if (seen.suspension !== undefined) {
      throw blocked("Its program is suspended.", "Bring it back with fg, then try again.");
    }
    if (seen.screen === undefined || !isEmptyComposer(seen)) {
      throw blocked("Its composer is not empty.", "Send or remove the text there, then try again.");
    }
    const text: Stroke = { kind: "paste", text: left.text, bracketed: true };
    const outcome = await session.terminal.gate(expectationAt(session, seen, seen.screen), [text]);
    if (outcome.kind !== "sent") {
      throw blocked("Someone is typing there.", "Try again in a moment.");
    }
    await settleDraft(context, session, left, "restored", "typed back as far as it could be read");
    return { ...left, state: "restored" };
  });
}

/** Only what is left to the person: everything else Bellhop itself is about to put back. */
export async function discardForPerson(
  { store, clock, log }: OfficeContext,
  sessionIds: readonly SessionId[],
  id?: string,
): Promise<readonly KeptDraft[]> {
  const discarded = await store.write((tx) => {
    const kept = sessionIds
      .flatMap((sessionId) => tx.keptDrafts({ sessionId }))
      .filter(({ state }) => state !== "restored" && state !== "discarded");
    const wanted = kept.filter((draft) => (id === undefined ? isLeft(draft) : draft.id === id));
    if (wanted.length === 0) throw none();
    if (!wanted.every(isLeft)) {
      throw blocked("Bellhop is about to put it back itself.", "Wait until it stands there, then remove it.");
    }
    return wanted.map((draft): KeptDraft => {
      const now: KeptDraft = { ...draft, state: "discarded", settledAt: clock.now() };
      tx.putKeptDraft(now);
      return now;
    });
  });
  for (const { sessionId, state } of discarded) log.info("draft.settled", { session: sessionId, state });
  return discarded;
}

function isLeft({ state }: KeptDraft): boolean {
  return state === "left-to-person";
}

function none(): BellhopError {
  return new BellhopError("draft.none", {
    message: "No text is set aside there.",
    next: `See all with "bellhop queue".`,
  });
}

function blocked(message: string, next: string): BellhopError {
  return new BellhopError("draft.blocked", { message, next });
}
