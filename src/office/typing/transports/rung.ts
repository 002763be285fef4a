/** What every rung of the transport ladder needs, and what it may answer. */
import type { DeliveryOutcome } from "../../../ports/endpoint.ts";
import type { LiveSession } from "../../presence/live-session.ts";
import type { Neighbours } from "../../presence/neighbourhood.ts";
import type { Observation } from "../../presence/observation.ts";
import type { ComposingParts } from "../compose.ts";
import type { KeepDrafts } from "../drafts/keep-drafts.ts";
import type { RestoreDrafts } from "../drafts/restore-drafts.ts";
import type { EvidenceDesk } from "../evidence-desk.ts";

export interface RungParts extends ComposingParts {
  readonly session: LiveSession;
  readonly neighbours: Neighbours;
  /** How the courier saw the terminal when it chose the batch. */
  readonly looked?: Observation;
  readonly evidence: EvidenceDesk;
  readonly drafts: KeepDrafts;
  readonly restoring: RestoreDrafts;
}

/** `not-here`: this rung certainly did nothing, so another may try. */
export type RungResult = DeliveryOutcome | { readonly kind: "not-here"; readonly why: string };
