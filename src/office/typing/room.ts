/** Puts together what typing into a terminal needs: a person's drafts, and whoever looks for proof. */
import type { Ground } from "../presence/ground.ts";
import { KeepDrafts } from "./draft.ts";
import { EvidenceDesk } from "./evidence-desk.ts";
import { Openings } from "./openings.ts";

export interface TypingRoom {
  readonly evidence: EvidenceDesk;
  readonly drafts: KeepDrafts;
  readonly openings: Openings;
}

export function typingRoom(ground: Ground): TypingRoom {
  return {
    evidence: new EvidenceDesk(),
    drafts: new KeepDrafts(ground.context),
    openings: new Openings(ground),
  };
}
