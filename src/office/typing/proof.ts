/**
 * Waits for proof that a prompt arrived: a hook through the evidence desk, the program's transcript, and last its
 * screen. Called by the rungs. Silence is no proof.
 */
import type { Instant, Transport } from "../../core/message.ts";
import { type Reading, showsWork } from "../../core/readiness/reading.ts";
import { marksOf } from "../../core/text/prompt.ts";
import { carriedByTurn, essence } from "../../core/text/whole-prompt.ts";
import type { SoughtPrompt } from "../../ports/transcript.ts";
import { pause, within } from "../base/deadline.ts";
import type { Observation } from "../presence/observation.ts";
import type { Proof } from "./evidence-desk.ts";
import type { RungParts } from "./transports/rung.ts";

type Seen = Pick<Observation, "reading" | "screen">;

const TRANSCRIPT_EVERY_MS = 400;

export interface ProofQuestion {
  readonly expectation: { readonly proof: Promise<Proof>; readonly cancel: () => void };
  readonly prompt: SoughtPrompt;
  /** The person's text that was in the composer: if the screen shows it right before ours, both were one prompt. */
  readonly over?: string;
  readonly startedAt: Instant;
  readonly transport: Transport;
  /** Shorter than usual if waiting proves nothing more and holds up the next message. */
  readonly patienceMs?: number;
}

export async function awaitProof(parts: RungParts, question: ProofQuestion): Promise<Proof | undefined> {
  const { context, session } = parts;
  const { evidenceTimeoutMs } = context.settings();
  const timeoutMs = Math.min(evidenceTimeoutMs, question.patienceMs ?? evidenceTimeoutMs);
  const deadline = context.clock.monotonic() + timeoutMs;
  const over = new AbortController();
  try {
    const witnesses: Promise<Proof | undefined>[] = [
      question.expectation.proof,
      transcriptProof(parts, question, deadline, over.signal),
    ];
    // With hooks, the screen is used only if they stay silent: it proves less.
    if (!session.record.hooked && question.transport === "paste")
      witnesses.push(screenProof(parts, question, timeoutMs));
    const first = await within(context.clock, timeoutMs, firstProof(witnesses), undefined);
    if (first !== undefined || question.transport !== "paste") return first;
    return screenTells(await session.observe(), question.prompt.token, question.over);
  } finally {
    over.abort();
  }
}

/** How to look for an attempt in a session file. */
export function soughtBy(
  attempt: Parameters<typeof carriedByTurn>[1],
  digest: (text: string) => string,
): SoughtPrompt {
  return { token: attempt.token, carriedBy: (text) => carriedByTurn(text, attempt, digest) };
}

async function firstProof(witnesses: readonly Promise<Proof | undefined>[]): Promise<Proof | undefined> {
  return new Promise((resolve, reject) => {
    let open = witnesses.length;
    for (const witness of witnesses) {
      witness.then((proof) => {
        open -= 1;
        if (proof !== undefined || open === 0) resolve(proof);
      }, reject);
    }
  });
}

async function transcriptProof(
  parts: RungParts,
  question: ProofQuestion,
  deadline: number,
  over: AbortSignal,
): Promise<Proof | undefined> {
  const { context, session } = parts;
  while (context.clock.monotonic() < deadline) {
    await pause(context.clock, TRANSCRIPT_EVERY_MS);
    if (over.aborted) return undefined;
    const finding = await context.transcripts.find(
      session.record.program,
      session.facts,
      question.prompt,
      question.startedAt,
    );
    if (finding.kind === "unreadable") return undefined;
    if (finding.kind === "mixed") return "mixed";
    if (finding.kind === "found") {
      if (finding.as === "queued") return "queued-in-agent";
      // A hook on its way proves more: give it time to arrive. None follows the answer to a hook.
      return session.record.hooked && question.transport !== "hook"
        ? within(context.clock, HOOK_GRACE_MS, question.expectation.proof, "transcript")
        : "transcript";
    }
  }
  return undefined;
}

const HOOK_GRACE_MS = 1_500;

async function screenProof(
  { session }: RungParts,
  { prompt: { token }, over }: ProofQuestion,
  timeoutMs: number,
): Promise<Proof | undefined> {
  const seen = await session.watch((now) => showsAboveComposer(now, token), { timeoutMs });
  return seen === undefined ? undefined : screenTells(seen, token, over);
}

/** What the screen proves: our text above the composer, unless the person's text is right before it. */
export function screenTells(
  observation: Seen,
  token: string,
  over: string | undefined,
): Extract<Proof, "screen" | "mixed"> | undefined {
  if (!showsAboveComposer(observation, token)) return undefined;
  const draft = essence(over ?? "");
  const above = essence(textAbove(observation));
  const header = above.lastIndexOf("[", above.lastIndexOf(essence(marksOf(token)[0] ?? token)));
  return draft !== "" && above.slice(0, header).endsWith(draft) ? "mixed" : "screen";
}

/** Empty if the screen shows neither a composer nor work. */
function textAbove({ reading, screen }: Seen): string {
  const caret = reading.kind === "composer" ? reading.caret : showsWork(reading) ? screen?.cursor : undefined;
  const rows = screen?.lines.slice(0, caret?.y ?? 0) ?? [];
  return rows.map(({ text }) => text).join("\n");
}

/**
 * The composer that held our text is empty again (or holds other text) and the text is above it, or the program shows
 * that it works and has hidden its prompt.
 */
export function showsAboveComposer(observation: Seen, token: string): boolean {
  // The first row of our own unsent text is above the caret as well.
  if (composerHolds(observation, token)) return false;
  const above = essence(textAbove(observation));
  return marksOf(token).every((mark) => above.includes(essence(mark)));
}

/** All of our text, or part of it. */
export function composerHolds(observation: { readonly reading: Reading }, token: string): boolean {
  const text = composerText(observation);
  return text !== undefined && marksOf(token).some((mark) => text.includes(essence(mark)));
}

/** The essence of the composer's text; undefined if there is no composer or it is empty. */
export function composerText({ reading }: { readonly reading: Reading }): string | undefined {
  return reading.kind === "composer" && reading.draft.kind === "text"
    ? essence(reading.draft.text)
    : undefined;
}
