/**
 * Types one prompt where the gate was found open: mark → keys → proof. Called by the paste rung, with or without a
 * draft set aside. It never types twice.
 */
import { evidenceOfSubmit, UNPROVEN } from "../../../../core/evidence.ts";
import type { Attempt, Instant } from "../../../../core/message.ts";
import { present } from "../../../../core/present.ts";
import { essence } from "../../../../core/text/whole-prompt.ts";
import type { DeliveryOutcome, Handover } from "../../../../ports/endpoint.ts";
import type { Injection } from "../../../../ports/profile.ts";
import { pause } from "../../../base/deadline.ts";
import { type AsyncWalk, step, walkAsync } from "../../../base/walk.ts";
import { isOver } from "../../../presence/still-there.ts";
import type { EvidenceDesk, Proof } from "../../evidence-desk.ts";
import { notSent } from "../../gatekeeping.ts";
import { removeOwnText } from "../../own-text.ts";
import { awaitProof, soughtBy } from "../../proof.ts";
import type { RungParts, RungResult } from "../rung.ts";
import { dryRun, isSeenOpen, type PasteParts, type Place } from "./place.ts";
import { type Pressed, press } from "./press.ts";
import type { Prompt } from "./prompt.ts";

/** If there is no receipt and another program is in front, the agent left before it read a byte. */
const AGENT_LEFT_MS = 2_000;

/** `in`: the keys reached the terminal, or may have. */
export interface Typed {
  readonly result: RungResult;
  readonly keys: "in" | "out";
}

export interface ToType {
  readonly parts: PasteParts;
  readonly handover: Handover;
  readonly prompt: Prompt;
  readonly place: Place;
  readonly injection: Injection;
  /** `looked`: the gate was just found open. `as-seen`: the look that found the place may tell the same. */
  readonly gate: "unseen" | "as-seen" | "looked";
  /** The person's text that was there, if any. */
  readonly over?: string;
}

/** Each of the later fields is set by one step and read by later ones; the list below has their order. */
interface Typing extends ToType {
  expectation?: ReturnType<EvidenceDesk["expect"]>;
  attempt: Omit<Attempt, "sessionId" | "startedAt">;
  startedAt: Instant;
  pressed: Pressed;
  proof: Proof | "left" | undefined;
}

const TYPING: AsyncWalk<Typing, Typed> = [
  step("paste.try-gate", tryGate),
  step("paste.mark", mark),
  "paste.before-keys",
  step("paste.press", pressKeys),
  "paste.after-keys",
  step("paste.judge-keys", judgeKeys),
  step("paste.tell-submitted", tellSubmitted),
  step("paste.await-proof", proofOrLeaving),
  "deliver.proven",
  step("paste.remove-second-copy", removeSecondCopy),
];

export async function typePrompt(toType: ToType): Promise<Typed> {
  const typing = { ...toType } as Typing;
  try {
    const ended = await walkAsync(toType.parts.context, TYPING, typing);
    return ended ?? { result: outcomeOf(typing.proof), keys: "in" };
  } finally {
    typing.expectation?.cancel();
  }
}

async function tryGate({ parts, place, gate }: Typing): Promise<Typed | undefined> {
  if (gate === "looked" || (gate === "as-seen" && isSeenOpen(parts, place))) return undefined;
  const refused = await dryRun(parts, place);
  return refused === undefined ? undefined : { result: refused, keys: "out" };
}

/** Waiting for proof starts before the first byte. */
async function mark(typing: Typing): Promise<undefined> {
  const { parts, prompt, place, handover } = typing;
  const { session, context, evidence } = parts;
  const wasBusy = session.mayBeInTurn();
  const promptDigest = context.digest(prompt.text);
  typing.attempt = {
    transport: "paste",
    token: prompt.token,
    promptDigest,
    composerDigest: context.digest(essence(prompt.text)),
    wasBusy,
    ...present({ file: prompt.file }),
  };
  typing.expectation = evidence.expect({
    sessionId: session.record.id,
    token: prompt.token,
    promptDigest,
    worth: evidenceOfSubmit("paste", wasBusy),
  });
  const { digest } = place.observation;
  await handover.begin({ ...typing.attempt, ...present({ screenDigest: digest }) });
}

async function pressKeys(typing: Typing): Promise<undefined> {
  const { parts, prompt, injection, place } = typing;
  typing.startedAt = parts.context.clock.now();
  typing.pressed = await press(parts, prompt, injection, place);
}

async function judgeKeys({ parts, pressed }: Typing): Promise<Typed | undefined> {
  if (pressed.kind === "sent") return undefined;
  if (pressed.kind === "left-in-composer") {
    return { result: { kind: "unconfirmed", transport: "paste", note: pressed.note }, keys: "in" };
  }
  if (pressed.kind === "unknown" && (await hasLeft(parts))) return { result: outcomeOf("left"), keys: "in" };
  const result = notSent(pressed, parts.session, parts.context);
  return { result, keys: pressed.kind === "unknown" ? "in" : "out" };
}

function tellSubmitted({ parts, handover, startedAt }: Typing): undefined {
  handover.submitted();
  parts.session.signal({ kind: "handed-over", at: startedAt });
}

async function proofOrLeaving(typing: Typing): Promise<undefined> {
  const { parts, expectation, attempt, over, startedAt } = typing;
  if (expectation === undefined) return;
  const left = hasLeft(parts).then((isGone) => (isGone ? ("left" as const) : undefined));
  const proof = awaitProof(parts, {
    expectation,
    prompt: soughtBy(attempt, parts.context.digest),
    ...present({ over }),
    startedAt,
    transport: "paste",
  });
  const first = await Promise.race([proof, left]);
  typing.proof = first === "left" ? first : await proof;
}

async function removeSecondCopy({ parts, expectation, prompt }: Typing): Promise<undefined> {
  if (expectation?.reported() === "stopped") await removeOwnText(parts.session, prompt.text);
}

function outcomeOf(evidence: Typing["proof"]): DeliveryOutcome {
  if (evidence === "mixed") return { kind: "mixed", transport: "paste" };
  if (evidence === "left") {
    return {
      kind: "ended",
      transport: "paste",
      note: "the program ended before anything proved that it arrived",
    };
  }
  if (evidence !== undefined) return { kind: "delivered", transport: "paste", evidence };
  return { kind: "unconfirmed", transport: "paste", note: UNPROVEN };
}

/** Checked after a moment; if so, nobody will read what was typed. */
async function hasLeft({ session, context }: RungParts): Promise<boolean> {
  await pause(context.clock, AGENT_LEFT_MS);
  return isOver(session.identity, context.processes);
}
