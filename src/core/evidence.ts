import { type DeliveryState, EVIDENCE, type Evidence, type Transport } from "./message.ts";

/** What proves what, and what to do with a delivery that a crash left in flight. */

export function isAtLeast(evidence: Evidence, required: Evidence): boolean {
  return EVIDENCE.indexOf(evidence) <= EVIDENCE.indexOf(required);
}

export function strongest(all: readonly Evidence[]): Evidence | undefined {
  return EVIDENCE.find((evidence) => all.includes(evidence));
}

/** What a prompt-submit hook proves: a busy program has only queued the prompt. */
export function evidenceOfSubmit(transport: Transport, wasBusy: boolean): Evidence {
  // A native inbox fires the hook when the turn takes the message, even if the message waited inside the program.
  return wasBusy && transport === "paste" ? "queued-in-agent" : "submitted";
}

/** Whether it proves that the program has taken the message, not only queued it. */
export function isTaken(evidence: Evidence | undefined): boolean {
  return evidence === "submitted" || evidence === "transcript" || evidence === "screen";
}

/** Sent to the program, proven or not. */
export const SENT: readonly DeliveryState[] = ["delivering", "unconfirmed", "delivered", "read", "replied"];

/** The name under which a hook's report is recorded that it has printed its answer. */
export const ANSWER_PRINTED = "answer-printed";

/** The name under which a hook's report is recorded that a sub-agent starts. */
export const DELEGATED = "delegated";

/** The note if the keys were typed but no witness confirmed them. */
export const UNPROVEN = "typed and submitted, but nothing has proven that it arrived";

/** The note at the end of a turn for a text sent by reference: the end does not tell whether it was read. */
export const UNOPENED = "its turn has ended, and nothing has shown that its file was opened";

const RANK: Record<DeliveryState, number> = {
  queued: 0,
  delivering: 1,
  unconfirmed: 1,
  delivered: 2,
  read: 3,
  replied: 4,
  expired: -1,
  cancelled: -1,
  failed: -1,
};

/** At this state or past it: `replied` is past `delivered`. */
export function hasReached(state: DeliveryState, wanted: DeliveryState): boolean {
  if (state === wanted) return true;
  return RANK[state] > RANK[wanted] && RANK[wanted] >= 0;
}

export interface CrashScene {
  readonly transport: Transport;
  readonly atMostOnce: boolean;
  /** The strongest proof found in the spool, the recorded hooks or the transcript. */
  readonly proof: Evidence | undefined;
  /** A witness saw it submitted together with text that is not ours. */
  readonly mixed: boolean;
  /** Every witness that would have seen the prompt was present and did not. */
  readonly provenAbsent: boolean;
  /** The same program in the same terminal, not a successor. */
  readonly sameProcess: boolean;
  /** The terminal had taken every key before the crash. */
  readonly submitted?: boolean;
  /** Keys, or text as it is: no hook and no session file tells of what went into a dialog. */
  readonly raw?: boolean;
  readonly composer: "our-text" | "empty" | "other-text" | "unreadable";
}

export type Recovery =
  | { readonly do: "delivered"; readonly evidence: Evidence }
  /** It was submitted with other text: neither send it again nor call it delivered. */
  | { readonly do: "leave-mixed" }
  /** Typed and submitted without further proof: the same state as without a crash. */
  | { readonly do: "leave-unconfirmed"; readonly why?: string }
  /** Provably not submitted: send again with the same id. */
  | { readonly do: "queue-again" }
  /** Our text is in the composer: one guarded submit, never another paste. */
  | { readonly do: "submit-only" }
  /** It may be there already: send again, marked as a possible duplicate. */
  | { readonly do: "queue-as-possible-duplicate" }
  /** It may be there already, and the sender wants no second copy. */
  | { readonly do: "give-up"; readonly why: string };

/** Why a delivery at most once is given up. */
export const PERHAPS_DELIVERED =
  "it may have been delivered before the restart, and the sender asked for at most once";

/** Why keys are not pressed again: the dialog that is open then may be another one. */
export const PERHAPS_PRESSED =
  "the keys may have been pressed before the restart: they are not pressed again";

export function decideRecovery(scene: CrashScene): Recovery {
  if (scene.proof !== undefined) return { do: "delivered", evidence: scene.proof };
  if (scene.mixed) return { do: "leave-mixed" };
  const again: Recovery =
    scene.raw === true
      ? { do: "leave-unconfirmed", why: PERHAPS_PRESSED }
      : { do: "queue-as-possible-duplicate" };
  const undecidable: Recovery = scene.atMostOnce ? { do: "give-up", why: PERHAPS_DELIVERED } : again;
  if (!scene.sameProcess) return undecidable;
  if (scene.submitted === true && scene.composer !== "our-text") return { do: "leave-unconfirmed" };
  if (scene.transport !== "paste") return scene.provenAbsent ? { do: "queue-again" } : undecidable;
  if (scene.composer === "our-text") return { do: "submit-only" };
  return scene.provenAbsent ? { do: "queue-again" } : undecidable;
}
