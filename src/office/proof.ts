/**
 * Waits for proof that a prompt arrived: a hook through the evidence desk, the program's own transcript, and
 * last its screen. Called by the rungs. Silence is no proof.
 */
import type { Evidence, Instant, Transport } from "../core/message.ts";
import type { Reading } from "../core/reading.ts";
import type { Screen } from "../core/screen.ts";
import { pause, within } from "./deadline.ts";
import type { RungParts } from "./rung.ts";

const TRANSCRIPT_EVERY_MS = 400;

export interface ProofQuestion {
  readonly expectation: { readonly proof: Promise<Evidence>; readonly cancel: () => void };
  readonly token: string;
  readonly startedAt: Instant;
  readonly transport: Transport;
  /** Shorter than usual where waiting proves nothing more and holds up the next message. */
  readonly patienceMs?: number;
}

export async function awaitProof(parts: RungParts, question: ProofQuestion): Promise<Evidence | undefined> {
  const { context, session } = parts;
  const { evidenceTimeoutMs } = context.settings();
  const timeoutMs = Math.min(evidenceTimeoutMs, question.patienceMs ?? evidenceTimeoutMs);
  const deadline = context.clock.monotonic() + timeoutMs;
  const over = new AbortController();
  try {
    const witnesses: Promise<Evidence | undefined>[] = [
      question.expectation.proof,
      transcriptProof(parts, question, deadline, over.signal),
    ];
    // With hooks the screen is only asked when they stay silent: it proves less.
    if (!session.record.hooked && question.transport === "paste")
      witnesses.push(screenProof(parts, question, timeoutMs));
    const first = await within(context.clock, timeoutMs, firstProof(witnesses), undefined);
    if (first !== undefined || question.transport !== "paste") return first;
    return showsAboveComposer(await session.observe(), question.token) ? "screen" : undefined;
  } finally {
    over.abort();
  }
}

async function firstProof(
  witnesses: readonly Promise<Evidence | undefined>[],
): Promise<Evidence | undefined> {
  return new Promise((resolve, reject) => {
    let open = witnesses.length;
    for (const witness of witnesses) {
      witness.then((evidence) => {
        open -= 1;
        if (evidence !== undefined || open === 0) resolve(evidence);
      }, reject);
    }
  });
}

async function transcriptProof(
  parts: RungParts,
  question: ProofQuestion,
  deadline: number,
  over: AbortSignal,
): Promise<Evidence | undefined> {
  const { context, session } = parts;
  while (context.clock.monotonic() < deadline) {
    await pause(context.clock, TRANSCRIPT_EVERY_MS);
    if (over.aborted) return undefined;
    const finding = await context.transcripts.find(
      session.record.program,
      session.facts,
      question.token,
      question.startedAt,
    );
    if (finding.kind === "unreadable") return undefined;
    if (finding.kind === "found") {
      if (finding.as === "queued") return "queued-in-agent";
      // A hook that is on its way proves more; give it the time it needs to be told.
      return session.record.hooked
        ? within(context.clock, HOOK_GRACE_MS, question.expectation.proof, "transcript")
        : "transcript";
    }
  }
  return undefined;
}

const HOOK_GRACE_MS = 1_500;

async function screenProof(
  parts: RungParts,
  question: ProofQuestion,
  timeoutMs: number,
): Promise<Evidence | undefined> {
  const seen = await parts.session.watch((observation) => showsAboveComposer(observation, question.token), {
    timeoutMs,
  });
  return seen === undefined ? undefined : "screen";
}

/** The composer that held our text is empty again (or holds other text), and the text stands above it. */
export function showsAboveComposer(
  observation: {
    readonly reading: { readonly kind: string; readonly caret?: { readonly y: number } };
    readonly screen: Screen | undefined;
  },
  token: string,
): boolean {
  const { reading, screen } = observation;
  if (screen === undefined || reading.kind !== "composer" || reading.caret === undefined) return false;
  // The first row of our own unsent text stands above the caret as well.
  if (composerHolds(observation, token)) return false;
  const above = flatten(screen.lines.slice(0, reading.caret.y).map(({ text }) => text));
  return above.includes(flatten([token]));
}

export function composerHolds(
  observation: { readonly reading: { readonly kind: string }; readonly screen: Screen | undefined },
  token: string,
): boolean {
  const { reading } = observation;
  if (reading.kind !== "composer" || !("draft" in reading)) return false;
  const draft = reading.draft as { readonly kind: string; readonly text?: string };
  return draft.kind === "text" && flatten([draft.text ?? ""]).includes(flatten([token]));
}

/** What stands in the composer, without white space; undefined where there is none or it is empty. */
export function composerText({ reading }: { readonly reading: Reading }): string | undefined {
  return reading.kind === "composer" && reading.draft.kind === "text"
    ? flatten([reading.draft.text])
    : undefined;
}

/** A screen wraps where it likes: white space does not count. */
export function flatten(lines: readonly string[]): string {
  return lines.join("").replace(/\s+/gu, "");
}
