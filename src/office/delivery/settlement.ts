/**
 * What becomes of a delivery, from the outcome of its batch. Decided from known facts; nothing is queried. The ledger
 * records it. A delivery that has moved on meanwhile (proven by a hook, answered, cancelled) is never set back.
 */
import { assertNever } from "../../core/errors.ts";
import { ANSWER_PRINTED, evidenceOfSubmit, isAtLeast, strongest } from "../../core/evidence.ts";
import type { Attempt, Delivery, Evidence, Hold, HoldReason, Instant, Receipt } from "../../core/message.ts";
import { PROMPT_MIXED, SENT_WITH_OTHER_TEXT } from "../../core/text/whole-prompt.ts";
import type { DeliveryOutcome } from "../../ports/endpoint.ts";
import type { DeliveryPatch, StoredHookEvent } from "../../ports/store.ts";

export interface Settlement {
  readonly patch: DeliveryPatch;
  /** Names the new state; without it, the state stays. */
  readonly receipt?: Receipt;
}

export interface Circumstances {
  readonly at: Instant;
  /** `delivering` was committed: something may have been typed. */
  readonly begun: boolean;
  /** What the store says about this attempt by now. */
  provenMeanwhile(): Evidence | undefined;
  /** A hook reported that this attempt was sent together with other text. */
  mixedMeanwhile(): boolean;
}

const WHEN_STARTED_AGAIN = "when the program is started again in its folder";

/** Undefined: nothing changes. */
export function settlement(
  now: Delivery,
  outcome: DeliveryOutcome,
  circumstances: Circumstances,
): Settlement | undefined {
  switch (outcome.kind) {
    case "hold":
      return held(now, outcome.reason, outcome.release, circumstances);
    case "gone":
      return held(now, "offline", WHEN_STARTED_AGAIN, circumstances);
    case "apart":
      return undefined;
    case "failed":
      return failed(now, outcome.note, circumstances);
    case "ended":
      return now.atMostOnce ? proven(now, outcome, circumstances) : again(now, outcome.note, circumstances);
    case "unconfirmed":
    case "mixed":
    case "delivered":
      return proven(now, outcome, circumstances);
    default:
      return assertNever(outcome);
  }
}

/** If the reason is the same, it keeps the time since when it has waited. */
export function heldFor(delivery: Delivery, reason: HoldReason, release: string, now: Instant): Hold {
  const since = delivery.hold?.reason === reason ? delivery.hold.since : now;
  return { reason, since, release };
}

function held(
  now: Delivery,
  reason: HoldReason,
  release: string,
  { at, begun }: Circumstances,
): Settlement | undefined {
  const hold = heldFor(now, reason, release, at);
  if (begun && now.state === "delivering") {
    return {
      // What typed nothing was no attempt: a person who reads "2 attempts" must not suspect a duplicate.
      patch: { attempt: null, attempts: now.attempts - 1, hold },
      receipt: { at, state: "queued", note: `nothing was typed: held ${reason}` },
    };
  }
  return now.state === "queued" ? { patch: { hold } } : undefined;
}

function failed({ state }: Delivery, note: string, { at }: Circumstances): Settlement | undefined {
  if (state !== "queued") return undefined;
  return { patch: { hold: null }, receipt: { at, state: "failed", note } };
}

function again(now: Delivery, note: string, { at }: Circumstances): Settlement | undefined {
  if (now.state !== "delivering") return undefined;
  return {
    patch: {
      attempt: null,
      possibleDuplicate: true,
      hold: heldFor(now, "offline", WHEN_STARTED_AGAIN, at),
    },
    receipt: { at, state: "queued", note: `${note}: it goes out again as a possible duplicate` },
  };
}

function proven(
  now: Delivery,
  outcome: Extract<DeliveryOutcome, { readonly kind: "delivered" | "unconfirmed" | "mixed" | "ended" }>,
  { at, provenMeanwhile, mixedMeanwhile }: Circumstances,
): Settlement | undefined {
  // A hook may have proven it, or an answer may have come, while the endpoint was still waiting.
  if (now.state !== "delivering" && now.state !== "unconfirmed") return undefined;
  const { transport } = outcome;
  const meanwhile = provenMeanwhile();
  // Our text on a screen does not outweigh a witness that saw other text sent with it.
  const onScreen = outcome.kind === "delivered" && outcome.evidence === "screen";
  const mixed = outcome.kind === "mixed" || ((outcome.kind !== "delivered" || onScreen) && mixedMeanwhile());
  if (meanwhile === undefined && (mixed || outcome.kind !== "delivered")) {
    const note = mixed ? SENT_WITH_OTHER_TEXT : noteOf(outcome);
    return {
      patch: { transport },
      receipt: { at, state: "unconfirmed", transport, note },
    };
  }
  const told = outcome.kind === "delivered" ? [outcome.evidence] : [];
  const evidence = strongest(meanwhile === undefined ? told : [...told, meanwhile]);
  if (evidence === undefined) return undefined;
  const enough = now.require === undefined || isAtLeast(evidence, now.require);
  const state = enough ? "delivered" : "unconfirmed";
  return {
    patch: { transport, evidence, release: "by-rule" },
    receipt: { at, state, transport, evidence, ...(enough ? {} : { note: `required: ${now.require}` }) },
  };
}

function noteOf(outcome: DeliveryOutcome): string {
  return "note" in outcome ? outcome.note : "";
}

/** As `provenByHook`: the hook saw our prompt with other text around it. */
export function mixedByHook({ token }: Attempt, since: readonly StoredHookEvent[]): boolean {
  return since.some((hook) => hook.event === PROMPT_MIXED && hook.tokens.includes(token));
}

/** The hook that had this attempt in its answer reported that it has printed it. */
export function printedByHook({ token }: Attempt, since: readonly StoredHookEvent[]): boolean {
  return since.some((hook) => hook.event === ANSWER_PRINTED && hook.tokens.includes(token));
}

/** The hook that reported its prompt. */
export function submissionOf(
  { token, promptDigest }: Attempt,
  since: readonly StoredHookEvent[],
): StoredHookEvent | undefined {
  return since.find(
    (hook) =>
      hook.event === "prompt-submitted" &&
      hook.subAgent === undefined &&
      (hook.tokens.includes(token) || hook.promptDigest === promptDigest),
  );
}

/** Proof by a hook that came after the endpoint stopped waiting but before the outcome is written. */
export function provenByHook(attempt: Attempt, since: readonly StoredHookEvent[]): Evidence | undefined {
  const { transport, wasBusy } = attempt;
  return submissionOf(attempt, since) === undefined ? undefined : evidenceOfSubmit(transport, wasBusy);
}
