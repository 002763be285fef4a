/** Composes what typing into a terminal needs: a person's drafts, and the search for proof. */
import type { Ground } from "../presence/ground.ts";
import { KeepDrafts } from "./drafts/keep-drafts.ts";
import { RestoreDrafts } from "./drafts/restore-drafts.ts";
import { EvidenceDesk } from "./evidence-desk.ts";
import { Openings } from "./openings.ts";

export type TypingRoom = ReturnType<typeof typingRoom>;

export function typingRoom(ground: Ground) {
  const restoring = new RestoreDrafts(ground.context);
  return {
    evidence: new EvidenceDesk(),
    drafts: new KeepDrafts(ground.context, restoring),
    restoring,
    openings: new Openings(ground),
  };
}
