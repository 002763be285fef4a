/**
 * The hook rung: the text goes in the answer to the program's own hook, which waits for it. It touches neither the
 * composer nor a key, so the guard does not hold it. Called by the terminal endpoint with the window that the courier
 * saw. A hook that prints proves little: what the program then records decides.
 */
import { decideRecovery, evidenceOfSubmit } from "../../../core/evidence.ts";
import type { Attempt, Instant } from "../../../core/message.ts";
import { present } from "../../../core/present.ts";
import { composeWhole } from "../../../core/text/prompt.ts";
import type { Batch, DeliveryOutcome, Handover } from "../../../ports/endpoint.ts";
import type { HookAnswers } from "../../../ports/hook-answers.ts";
import { within } from "../../base/deadline.ts";
import type { HookWindow } from "../../presence/hook-windows.ts";
import type { LiveSession } from "../../presence/live-session.ts";
import { promptItems } from "../compose.ts";
import type { EvidenceDesk, Proof } from "../evidence-desk.ts";
import { holdFor } from "../gatekeeping.ts";
import { awaitProof, soughtBy } from "../proof.ts";
import { composeWithin, type Prompt } from "./paste/prompt.ts";
import type { RungParts, RungResult } from "./rung.ts";

/** The hook prints what it got and says so; it does nothing in between. */
const PRINTING_MS = 3_000;
/** No program lets a hook run longer: only then is a text absent for certain that is not in its session file. */
const HOOK_RUNS_MS = 10_000;
/** For a program whose session file cannot be read: its next hook may still prove it. */
const NEXT_HOOK_MS = 1_500;
const RETRY_MS = 100;

export const NOT_PRINTED = "given to its hook, which has not said that it printed it";
export const PRINTED_ONLY = "its hook printed it, and its session file does not show it";

/** Why no hook of this program can carry text; undefined if one can. */
export function whyNoHook({ profile, record, facts, hooks }: LiveSession): string | undefined {
  const { hookAnswers } = profile;
  if (hookAnswers === undefined) return "no hook of this program takes text";
  if (!record.hooked) return "its hooks have not reported yet";
  if (!hooks.isTrusted) return "its hook printed a text, and the program showed no sign of it";
  return Object.keys(hookAnswers.moments(facts.version)).length === 0
    ? "no hook of this release takes text"
    : undefined;
}

export async function deliverByHook(
  parts: RungParts,
  batch: Batch,
  handover: Handover,
  window: HookWindow,
): Promise<RungResult> {
  const answers = parts.session.profile.hookAnswers;
  const prompt = answers === undefined ? undefined : await compose(parts, batch, answers);
  if (prompt === undefined || !window.claim()) return { kind: "not-here", why: "the hook has gone on" };
  if ("kind" in prompt) {
    window.close();
    return prompt;
  }
  const attempt = attemptOf(parts, prompt, window);
  const expectation = parts.evidence.expect({
    sessionId: parts.session.record.id,
    ...{ token: attempt.token, promptDigest: attempt.promptDigest },
    worth: evidenceOfSubmit("hook", attempt.wasBusy),
  });
  try {
    await handover.begin(attempt);
    return await hand({ parts, batch, window, prompt, attempt, expectation });
  } finally {
    window.close();
    expectation.cancel();
  }
}

interface Handing {
  readonly parts: RungParts;
  readonly batch: Batch;
  readonly window: HookWindow;
  readonly prompt: Prompt;
  readonly attempt: Omit<Attempt, "sessionId" | "startedAt">;
  readonly expectation: ReturnType<EvidenceDesk["expect"]>;
}

async function hand(handing: Handing): Promise<DeliveryOutcome> {
  const { parts, window, prompt } = handing;
  const { session, context } = parts;
  const startedAt = context.clock.now();
  context.checkpoint("hook.before-hand-over");
  if (!window.hand(prompt.text)) return again(parts, "its hook had gone on before the text was written down");
  context.checkpoint("hook.after-hand-over");
  const startsTurn = window.asking.moment === "turn-end";
  if (startsTurn) session.signal({ kind: "handed-over", at: startedAt });
  const outcome = await judged(handing, startedAt);
  context.checkpoint("deliver.proven");
  // No hook reports the beginning of a turn that a hook's answer began.
  if (outcome.kind === "delivered" && startsTurn)
    session.signal({ kind: "hook", event: "prompt-submitted", at: startedAt });
  return outcome;
}

async function judged(handing: Handing, startedAt: Instant): Promise<DeliveryOutcome> {
  const { parts, window, attempt, expectation, batch } = handing;
  const { session, context } = parts;
  const prompt = soughtBy(attempt, context.digest);
  const handedAt = context.clock.monotonic();
  const find = () => context.transcripts.find(session.record.program, session.facts, prompt, startedAt);
  const isPrinted =
    (await within(
      context.clock,
      PRINTING_MS,
      Promise.race([window.printed.then(() => true), expectation.proof.then(() => true)]),
      false,
    )) === true;
  const early = await find();
  if (early.kind === "found") return proven("transcript");
  const proof = await awaitProof(parts, {
    ...{ expectation, prompt, startedAt, transport: "hook" },
    ...(early.kind === "unreadable" ? { patienceMs: NEXT_HOOK_MS } : {}),
  });
  if (proof !== undefined) return proven(proof);
  const late = await find();
  if (late.kind === "found") return proven("transcript");
  if (isPrinted && late.kind === "unreadable") return proven("accepted");
  if (isPrinted) {
    session.hooks.distrust();
    return { kind: "unconfirmed", transport: "hook", note: PRINTED_ONLY };
  }
  const isOver = context.clock.monotonic() - handedAt >= HOOK_RUNS_MS;
  const decided = decideRecovery({
    transport: "hook",
    atMostOnce: batch.items.some(({ delivery }) => delivery.atMostOnce),
    ...{ proof: undefined, mixed: false, provenAbsent: isOver && late.kind === "absent", sameProcess: true },
    composer: "unreadable",
  });
  return decided.do === "queue-again"
    ? again(parts, "its hook ended before it printed the text")
    : { kind: "unconfirmed", transport: "hook", note: NOT_PRINTED };
}

function proven(proof: Proof): DeliveryOutcome {
  if (proof === "mixed") return { kind: "mixed", transport: "hook" };
  return { kind: "delivered", transport: "hook", evidence: proof };
}

/** Nothing reached the program. */
function again({ context }: RungParts, why: string): DeliveryOutcome {
  return holdFor(
    context,
    "busy",
    `with its next hook, or when the running turn has ended (${why})`,
    RETRY_MS,
  );
}

function attemptOf(
  { context }: RungParts,
  { text, token, file }: Prompt,
  { asking }: HookWindow,
): Handing["attempt"] {
  return {
    ...({ transport: "hook", token, promptDigest: context.digest(text), answer: asking.code } as const),
    wasBusy: asking.moment === "tool-result",
    ...present({ file }),
  };
}

/** Everything as text if the program takes that much in one answer; otherwise the text is in a file. */
async function compose(
  parts: RungParts,
  batch: Batch,
  { mostBytes }: HookAnswers,
): Promise<Prompt | DeliveryOutcome> {
  const { text, tokens } = composeWhole(promptItems(batch, parts));
  // The texts arrive as one, so the first header stands for all.
  if (Buffer.byteLength(text) <= mostBytes) return { text, token: tokens[0] ?? "" };
  // A character has at most four bytes.
  const limits = { maxCharacters: Math.floor(mostBytes / 4), maxNewlines: mostBytes, newlines: true };
  return composeWithin(parts, batch, limits);
}
