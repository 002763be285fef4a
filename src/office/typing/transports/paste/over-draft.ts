/**
 * Delivers over a person's text that can be kept: set aside, type, restore. Called by the paste rung. Whatever becomes
 * of the message, the text comes back, or is listed as not restored.
 */
import type { GuardAction } from "../../../../core/readiness/guard.ts";
import type { Handover } from "../../../../ports/endpoint.ts";
import type { Injection } from "../../../../ports/profile.ts";
import type { RungResult } from "../rung.ts";
import { dryRun, expected, type PasteParts, type Place } from "./place.ts";
import type { Prompt } from "./prompt.ts";
import { type Typed, typePrompt } from "./typing.ts";

export interface OverDraft {
  readonly parts: PasteParts;
  readonly handover: Handover;
  readonly prompt: Prompt;
  readonly place: Place;
  readonly draft: Extract<GuardAction, { do: "keep" }>["draft"];
}

export async function deliverOverDraft(delivering: OverDraft): Promise<RungResult> {
  const { parts, handover, prompt, place, draft } = delivering;
  const { session, drafts } = parts;
  const keeping = session.profile.draftKeeping(session.record.version, place.observation.reading);
  if (keeping.how === "none") return { kind: "not-here", why: keeping.why };
  if (keeping.how === "stash" && keeping.injectOverDraft !== undefined)
    return deliverInOneWrite(delivering, keeping.injectOverDraft(prompt.text));
  const cleared = await drafts.clear(session, draft, keeping, expected(parts, place));
  if (cleared.kind === "hold") return cleared;
  const injection = session.profile.inject(prompt.text, cleared.observation.reading);
  let keys: Typed["keys"] | "unknown" = "unknown";
  try {
    // Through its own gate, which notices a key pressed since the draft was set aside.
    const typed = await typePrompt({
      parts,
      handover,
      prompt,
      place: cleared,
      injection,
      gate: "unseen",
      over: draft.text,
    });
    keys = typed.keys;
    await settle(handover, typed.result);
    return typed.result;
  } finally {
    // Whatever became of the message, even if it was not typed after all.
    await parts.restoring.giveBack(session, cleared.kept, keys);
  }
}

/** Stash, text and submit together: only for releases that are proven to process them in order. */
async function deliverInOneWrite(
  { parts, handover, prompt, place, draft }: OverDraft,
  injection: Injection,
): Promise<RungResult> {
  const { session, drafts, restoring } = parts;
  const refused = await dryRun(parts, place);
  if (refused !== undefined) return refused;
  const kept = await drafts.begin(session, draft, "stash");
  const typed = await typePrompt({
    parts,
    handover,
    prompt,
    place,
    injection,
    gate: "looked",
    over: draft.text,
  }).catch(async (cause: unknown) => {
    await restoring.settleStash(session, kept, "unknown");
    throw cause;
  });
  await settle(handover, typed.result);
  await restoring.settleStash(session, kept, typed.keys);
  return typed.result;
}

/** The receipt does not wait until the draft is restored. */
async function settle(handover: Handover, result: RungResult): Promise<void> {
  if (result.kind !== "not-here") await handover.settle(result);
}
