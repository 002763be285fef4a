/** Why a host did not take a letter: what the host that sent it decides by. The words beside it are for people only. */
import { BellhopError } from "../errors.ts";

/**
 * `withdrawn`: it was asked back before it came. `overdue`: it came after its time. `nobody`: nobody there has its address,
 * or hears its path. `right`: its host may not send such a thing. Of an agent that moves: `exists`, one of its name is there;
 * `declared`, in the config there; `subscription`, it brings one that no agent there could choose. `unreadable`: it cannot
 * be understood there. `other`: see the words; also what a newer host means by a word that is not known here.
 */
export const REFUSAL_REASONS = [
  "withdrawn",
  "overdue",
  "nobody",
  "right",
  "exists",
  "declared",
  "subscription",
  "unreadable",
  "other",
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export interface Refusal {
  readonly why: RefusalReason;
  readonly words: string;
}

/** Thrown while a letter is accepted: the host that sent it is told why. */
export class LetterRefused extends BellhopError {
  readonly why: RefusalReason;

  constructor(why: RefusalReason, ...detail: ConstructorParameters<typeof BellhopError>) {
    super(...detail);
    this.why = why;
  }
}
