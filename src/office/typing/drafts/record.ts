/** Records and announces what became of a text that was set aside. It presses no key. */

import { present } from "../../../core/present.ts";
import { CLEAR } from "../../../core/readiness/guard.ts";
import type { KeptDraft } from "../../../ports/store.ts";
import type { OfficeContext } from "../../base/context.ts";
import type { LiveSession } from "../../presence/live-session.ts";
import { announceLeft, announceRestored } from "./announcement.ts";

/** The draft that is still set aside, if any. */
export function openDraft({ store }: OfficeContext, session: LiveSession): KeptDraft | undefined {
  return store.read.keptDrafts({ sessionId: session.record.id, open: true })[0];
}

export async function markRestored(
  context: OfficeContext,
  session: LiveSession,
  kept: KeptDraft,
): Promise<void> {
  await settleDraft(context, session, kept, "restored");
  context.checkpoint("draft.restored");
  await announceRestored(context, session, kept);
}

export async function leaveToPerson(
  context: OfficeContext,
  session: LiveSession,
  kept: KeptDraft,
  note: string,
): Promise<void> {
  await settleDraft(context, session, kept, "left-to-person", note);
  await announceLeft(context, session);
}

export async function settleDraft(
  { store, clock, log }: OfficeContext,
  session: LiveSession,
  kept: KeptDraft,
  state: KeptDraft["state"],
  note?: string,
): Promise<void> {
  session.guard = CLEAR;
  const { note: _, ...rest } = kept;
  await store.write((tx) =>
    tx.putKeptDraft({ ...rest, state, settledAt: clock.now(), ...present({ note }) }),
  );
  log.info("draft.settled", { session: session.record.id, state, note });
}
