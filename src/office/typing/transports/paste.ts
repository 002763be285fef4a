/**
 * The paste rung: composer read → guard → final gate inside the terminal → proof. Called by the terminal endpoint
 * under the terminal's lock. It never types where it has not just read an empty composer or a draft it can keep,
 * and never types twice.
 */
import { BellhopError } from "../../../core/errors.ts";
import { evidenceOfSubmit } from "../../../core/evidence.ts";
import { type GuardAction, guardStep, RETRY_AFTER_REFUSAL_MS } from "../../../core/readiness/guard.ts";
import type { Reading } from "../../../core/readiness/reading.ts";
import type { Screen } from "../../../core/readiness/screen.ts";
import { composeForPaste, mostInline } from "../../../core/text/prompt.ts";
import { essence } from "../../../core/text/whole-prompt.ts";
import type { Batch, Handover, Outcome } from "../../../ports/endpoint.ts";
import type { Injection, PromptLimits } from "../../../ports/profile.ts";
import type { GateExpectation, GateOutcome } from "../../../ports/terminal.ts";
import type { SoughtPrompt } from "../../../ports/transcript.ts";
import { pause } from "../../base/deadline.ts";
import type { LiveSession, Observation } from "../../presence/live-session.ts";
import { isOver } from "../../presence/still-there.ts";
import { promptItems } from "../compose.ts";
import type { Proof } from "../evidence-desk.ts";
import { expectationAt, hasShellUnder, holdForScreen, notSent, refusalHold } from "../gatekeeping.ts";
import { removeOwnText } from "../own-text.ts";
import { awaitProof, composerHolds, composerText, soughtBy } from "../proof.ts";
import type { RungParts, RungResult } from "./rung.ts";

export const UNPROVEN = "typed and submitted, but nothing has proven that it arrived";

/** What was typed and is not submitted stays in the person's line: a slow machine is given time. */
const SHOWN_WITHIN_MS = 10_000;

/** No receipt and another program in front: the agent left before it read a byte. */
const AGENT_LEFT_MS = 2_000;

interface PasteParts extends RungParts {
  readonly keyboard: GateExpectation["keyboard"] | undefined;
}

export async function deliverPaste(rung: RungParts, batch: Batch, handover: Handover): Promise<RungResult> {
  const parts: PasteParts = { ...rung, keyboard: keyboardFor(batch) };
  const { session, context } = parts;
  const observation = await session.observe();
  const held = holdForScreen(observation, context, parts.keyboard);
  if (held !== undefined) return held;
  const action = stepGuard(parts, batch, observation.reading);
  if (action.do === "hold") {
    return { kind: "hold", reason: action.reason, release: action.release, retryAt: action.lookAgainAt };
  }
  const astray = parts.drafts.whyWait(session, observation.reading);
  if (astray !== undefined) {
    const retryAt = context.clock.now() + RETRY_AFTER_REFUSAL_MS;
    return { kind: "hold", reason: "typing", release: astray, retryAt };
  }
  const screen = observation.screen;
  if (screen === undefined || observation.reading.kind !== "composer")
    return { kind: "not-here", why: "no composer" };
  const prompt = await composePrompt(parts, batch, observation.reading, screen);
  if ("kind" in prompt) return prompt;
  if (action.do === "keep")
    return deliverOverDraft(parts, handover, prompt, observation, screen, action.draft);
  const injection = session.profile.inject(prompt.text, observation.reading);
  return (await type(parts, handover, prompt, observation, screen, injection)).result;
}

/** Only an interrupt does not wait for a person who has the keyboard to themself. */
function keyboardFor({ items }: Batch): PasteParts["keyboard"] {
  return items.every(({ delivery }) => delivery.priority === "interrupt") ? "may-be-taken" : undefined;
}

function expected(
  { session, keyboard }: PasteParts,
  observation: Observation,
  screen: Screen,
): GateExpectation {
  return expectationAt(session, observation, screen, keyboard);
}

function stepGuard(parts: RungParts, batch: Batch, reading: Reading): GuardAction {
  const { session, context } = parts;
  const settings = context.settings();
  const keeping = session.profile.draftKeeping(session.record.version, reading);
  const stashed = reading.kind === "composer" && reading.stash !== "none";
  const [guard, action] = guardStep(
    session.guard,
    { kind: "reading", reading, now: context.clock.now() },
    {
      staleAfterMs: settings.inputStaleMs,
      pollEveryMs: settings.inputPollMs,
      skipWaiting: batch.items.some(
        ({ delivery }) => delivery.priority === "interrupt" || delivery.release === "now",
      ),
      cannotKeep:
        keeping.how === "none"
          ? keeping.why
          : stashed
            ? "its stash already holds another draft"
            : parts.drafts.whyNot(session, keeping, reading),
    },
  );
  session.guard = guard;
  return action;
}

interface Prompt {
  readonly text: string;
  readonly token: string;
  /** Where its text stands, if it does not stand in the prompt itself. */
  readonly file?: string;
}

async function composePrompt(
  parts: RungParts,
  batch: Batch,
  reading: Reading,
  screen: Screen,
): Promise<Prompt | Outcome> {
  try {
    return await composeWithin(parts, batch, limitsFor(parts, reading, screen));
  } catch (error) {
    if (!(error instanceof BellhopError)) throw error;
    const retryAt = parts.context.clock.now() + parts.context.settings().inputPollMs;
    return {
      kind: "hold",
      reason: "unknown",
      release: `when it can be typed there: ${error.message} ${error.next}`,
      retryAt,
    };
  }
}

/** A text that must be seen in the composer before it is submitted has to fit into the cursor's row. */
function limitsFor({ session }: RungParts, reading: Reading, screen: Screen): PromptLimits {
  const limits = session.profile.limits(session.record.version);
  const room = screen.columns - screen.cursor.x - 2;
  return isSeenFirst(session, session.profile.inject("x", reading))
    ? { ...limits, maxCharacters: Math.min(limits.maxCharacters, room) }
    : limits;
}

/** Where the program is the terminal's own process, no shell under it can take an Enter meant for it. */
function isSeenFirst(session: LiveSession, { submit, submitDelayMs }: Injection): boolean {
  return submit !== undefined && (hasShellUnder(session) || submitDelayMs !== undefined);
}

async function composeWithin(
  parts: RungParts,
  batch: Batch,
  limits: PromptLimits,
): Promise<Prompt | Outcome> {
  const { session, context } = parts;
  const items = await promptItems(batch, context, parts.directory);
  const [first] = items;
  if (items.length === 1 && first !== undefined) {
    const composed = composeForPaste(items, limits);
    return composed.byReference ? { ...composed, file: first.file } : composed;
  }
  const name = context.files.nameFor(session.record.agent, context.clock.now(), context.ids.message());
  const composed = composeForPaste(items, limits, context.files.absolute(name));
  const isUrgent = batch.items.some(({ delivery }) => delivery.priority === "interrupt");
  if (composed.byReference && isUrgent) return { kind: "apart", first: mostInline(items, limits) };
  if (composed.fileText === undefined) return composed;
  await context.files.ensure(name, composed.fileText);
  return { ...composed, file: context.files.absolute(name) };
}

async function deliverOverDraft(
  parts: PasteParts,
  handover: Handover,
  prompt: Prompt,
  observation: Observation,
  screen: Screen,
  draft: Extract<GuardAction, { do: "keep" }>["draft"],
): Promise<RungResult> {
  const { session, drafts } = parts;
  const keeping = session.profile.draftKeeping(session.record.version, observation.reading);
  if (keeping.how === "none") return { kind: "not-here", why: keeping.why };
  if (keeping.how === "stash" && keeping.injectOverDraft !== undefined) {
    const injection = keeping.injectOverDraft(prompt.text);
    return deliverInOneWrite(parts, handover, prompt, observation, screen, draft, injection);
  }
  const cleared = await drafts.clear(session, draft, keeping, expected(parts, observation, screen));
  if (cleared.kind === "hold") return cleared;
  const injection = session.profile.inject(prompt.text, cleared.observation.reading);
  let keys: Typed["keys"] | "unknown" = "unknown";
  try {
    // Through a gate of its own: a key that was pressed since the draft was set aside is seen there.
    const typed = await type(parts, handover, prompt, cleared.observation, cleared.screen, injection, {
      gate: "unseen",
      over: draft.text,
    });
    keys = typed.keys;
    await settle(handover, typed.result);
    return typed.result;
  } finally {
    // Whatever became of the message, also when it was not typed after all.
    await drafts.giveBack(session, cleared.kept, keys);
  }
}

/** Stash, text and submit together: only for releases that are proven to take them one after the other. */
async function deliverInOneWrite(
  parts: PasteParts,
  handover: Handover,
  prompt: Prompt,
  observation: Observation,
  screen: Screen,
  draft: Extract<GuardAction, { do: "keep" }>["draft"],
  injection: Injection,
): Promise<RungResult> {
  const { session, drafts } = parts;
  const open = await dryRun(parts, observation, screen);
  if (open !== undefined) return open;
  const kept = await drafts.begin(session, draft, "stash");
  const typed = await type(parts, handover, prompt, observation, screen, injection, {
    gate: "looked",
    over: draft.text,
  }).catch(async (cause: unknown) => {
    await drafts.settleStash(session, kept, "unknown");
    throw cause;
  });
  await settle(handover, typed.result);
  await drafts.settleStash(session, kept, typed.keys);
  return typed.result;
}

/** The receipt does not wait for the draft to come back. */
async function settle(handover: Handover, result: RungResult): Promise<void> {
  if (result.kind !== "not-here") await handover.settle(result);
}

/** The gate without keys: a refusal here costs no receipt. */
async function dryRun(
  parts: PasteParts,
  observation: Observation,
  screen: Screen,
): Promise<Outcome | undefined> {
  const { session, context } = parts;
  const outcome = await session.terminal.gate(expected(parts, observation, screen), []);
  return outcome.kind === "sent" ? undefined : refusalHold(outcome, session, context);
}

/** `in`: the keys reached the terminal, or may have. */
interface Typed {
  readonly result: RungResult;
  readonly keys: "in" | "out";
}

interface Circumstances {
  /** `looked`: the gate was just found open. */
  readonly gate: "unseen" | "looked";
  /** The person's text that stood there, if there was one. */
  readonly over?: string;
}

async function type(
  parts: PasteParts,
  handover: Handover,
  prompt: Prompt,
  observation: Observation,
  screen: Screen,
  injection: Injection,
  { gate, over }: Circumstances = { gate: "unseen" },
): Promise<Typed> {
  const { session, context } = parts;
  const refused = gate === "unseen" ? await dryRun(parts, observation, screen) : undefined;
  if (refused !== undefined) return { result: refused, keys: "out" };
  const wasBusy = session.mayBeInTurn();
  const promptDigest = context.digest(prompt.text);
  const attempt = {
    transport: "paste",
    token: prompt.token,
    promptDigest,
    composerDigest: context.digest(essence(prompt.text)),
    wasBusy,
    ...(prompt.file === undefined ? {} : { file: prompt.file }),
  } as const;
  const expectation = parts.evidence.expect({
    sessionId: session.record.id,
    token: prompt.token,
    promptDigest,
    worth: evidenceOfSubmit("paste", wasBusy),
  });
  try {
    await handover.begin({
      ...attempt,
      ...(observation.digest === undefined ? {} : { screenDigest: observation.digest }),
    });
    context.checkpoint("paste.before-keys");
    const startedAt = context.clock.now();
    const sent = await enter(parts, prompt, injection, expected(parts, observation, screen));
    context.checkpoint("paste.after-keys");
    if (sent.kind === "left-in-composer") {
      return { result: { kind: "unconfirmed", transport: "paste", note: sent.note }, keys: "in" };
    }
    if (sent.kind === "unknown" && (await hasLeft(parts))) return { result: outcomeOf("left"), keys: "in" };
    if (sent.kind !== "sent") {
      return { result: notSent(sent, session, context), keys: sent.kind === "unknown" ? "in" : "out" };
    }
    handover.submitted();
    session.signal({ kind: "handed-over", at: startedAt });
    const evidence = await awaitProofOrLeave(parts, {
      expectation,
      prompt: soughtBy(attempt, context.digest),
      ...(over === undefined ? {} : { over }),
      startedAt,
    });
    context.checkpoint("deliver.proven");
    if (expectation.reported() === "stopped") await removeOwnText(session, prompt.text);
    return { result: outcomeOf(evidence), keys: "in" };
  } finally {
    expectation.cancel();
  }
}

function outcomeOf(evidence: Proof | "left" | undefined): Outcome {
  if (evidence === "mixed") return { kind: "mixed", transport: "paste" };
  if (evidence === "left") {
    return {
      kind: "ended",
      transport: "paste",
      note: "the program ended before anything proved that it arrived",
    };
  }
  if (evidence !== undefined) return { kind: "delivered", transport: "paste", evidence };
  return {
    kind: "unconfirmed",
    transport: "paste",
    note: UNPROVEN,
  };
}

type Entered = GateOutcome | { readonly kind: "left-in-composer"; readonly note: string };

async function enter(
  parts: PasteParts,
  prompt: Prompt,
  injection: Injection,
  expectation: GateExpectation,
): Promise<Entered> {
  const { session, context } = parts;
  if (injection.submit === undefined) return session.terminal.gate(expectation, injection.strokes);
  if (!isSeenFirst(session, injection)) {
    return session.terminal.gate(expectation, [...injection.strokes, ...injection.submit]);
  }
  const pasted = await session.terminal.gate(expectation, injection.strokes);
  if (pasted.kind !== "sent") return pasted;
  if (injection.submitDelayMs !== undefined) await pause(context.clock, injection.submitDelayMs);
  const shown = await session.watch((observation) => composerHolds(observation, prompt.token), {
    timeoutMs: SHOWN_WITHIN_MS,
  });
  if (shown?.screen === undefined || shown.reading.kind !== "composer") {
    return {
      kind: "left-in-composer",
      note: "the text was typed, but its composer does not show it: not submitted",
    };
  }
  // However long ago: words behind ours would be sent with them.
  const alone = composerText(shown) === essence(prompt.text);
  const second: GateOutcome = alone
    ? await session.terminal.gate(expected(parts, shown, shown.screen), injection.submit)
    : { kind: "refused", because: ["typing"] };
  if (second.kind === "sent") return second;
  return {
    kind: "left-in-composer",
    note: "someone typed behind the text: it was left in the composer, not submitted",
  };
}

async function awaitProofOrLeave(
  parts: RungParts,
  question: {
    readonly expectation: Parameters<typeof awaitProof>[1]["expectation"];
    readonly prompt: SoughtPrompt;
    readonly over?: string;
    readonly startedAt: number;
  },
) {
  const left = hasLeft(parts).then((isGone) => (isGone ? ("left" as const) : undefined));
  const proof = awaitProof(parts, { ...question, transport: "paste" });
  const first = await Promise.race([proof, left]);
  return first === "left" ? first : proof;
}

/** After a moment: nobody reads what is in there. */
async function hasLeft({ session, context }: RungParts): Promise<boolean> {
  await pause(context.clock, AGENT_LEFT_MS);
  return isOver(session.identity, context.processes);
}
