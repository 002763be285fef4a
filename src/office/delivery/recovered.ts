/** What becomes of a delivery, from what was found out after a start. Recovery records it; nothing is queried. */
import { assertNever } from "../../core/errors.ts";
import { type Recovery, UNPROVEN } from "../../core/evidence.ts";
import type { Hold, Instant } from "../../core/message.ts";
import { SENT_WITH_OTHER_TEXT } from "../../core/text/whole-prompt.ts";
import type { Settlement } from "./settlement.ts";

export interface Found {
  readonly at: Instant;
  /** Why it waits, if it is sent again. */
  readonly hold: Hold | null;
  /** If only the submit was missing: it was pressed and seen to work. */
  readonly submitted: boolean;
}

const AS_DUPLICATE =
  "after a restart: it may have arrived already, so it is sent again as a possible duplicate";
const IN_COMPOSER = "after a restart: its text stood in the composer,";

export function recovered(recovery: Recovery, { at, hold, submitted }: Found): Required<Settlement> {
  switch (recovery.do) {
    case "delivered": {
      const proof = { evidence: recovery.evidence };
      return { patch: proof, receipt: { at, state: "delivered", ...proof, note: "found after a restart" } };
    }
    case "leave-mixed":
      return { patch: {}, receipt: { at, state: "unconfirmed", note: SENT_WITH_OTHER_TEXT } };
    case "leave-unconfirmed":
      return { patch: {}, receipt: { at, state: "unconfirmed", note: recovery.why ?? UNPROVEN } };
    case "queue-again": {
      const note = "after a restart: it had provably not been submitted";
      return { patch: { attempt: null, hold }, receipt: { at, state: "queued", note } };
    }
    case "queue-as-possible-duplicate": {
      const patch = { attempt: null, hold, possibleDuplicate: true };
      return { patch, receipt: { at, state: "queued", note: AS_DUPLICATE } };
    }
    case "give-up":
      return { patch: {}, receipt: { at, state: "failed", note: recovery.why } };
    case "submit-only": {
      if (!submitted) {
        const note = `${IN_COMPOSER} and nothing has proven that it was sent`;
        return { patch: {}, receipt: { at, state: "unconfirmed", note } };
      }
      const proof = { evidence: "screen" } as const;
      const note = `${IN_COMPOSER} only the submit was pressed`;
      return { patch: proof, receipt: { at, state: "delivered", ...proof, note } };
    }
    default:
      return assertNever(recovery);
  }
}
