/**
 * The native rung: hands the whole text to the program's own inbox. It does not touch the composer, so the guard does
 * not hold it. Called by the terminal endpoint. After a hand-over it never falls back to keys.
 */

import { evidenceOfSubmit } from "../../../core/evidence.ts";
import { composeWhole } from "../../../core/text/prompt.ts";
import type { Batch, Handover } from "../../../ports/endpoint.ts";
import type { Inbox } from "../../../ports/program.ts";
import { promptItems } from "../compose.ts";
import { holdFor } from "../gatekeeping.ts";
import { awaitProof, soughtBy } from "../proof.ts";
import type { RungParts, RungResult } from "./rung.ts";

export async function nativeIsOpen(parts: RungParts): Promise<boolean> {
  return (await whyNativeIsShut(parts)) === undefined;
}

export async function whyNativeIsShut(parts: RungParts): Promise<string | undefined> {
  const offer = await inboxOf(parts)?.offers(parts.session.facts);
  return offer?.kind === "offered" ? undefined : (offer?.why ?? "no inbox");
}

function inboxOf({ session: { profile }, context }: RungParts): Inbox | undefined {
  return profile.inbox ? context.inboxes[profile.name] : undefined;
}

export async function deliverNative(parts: RungParts, batch: Batch, handover: Handover): Promise<RungResult> {
  const { session, context } = parts;
  const inbox = inboxOf(parts);
  if (inbox === undefined) return { kind: "not-here", why: "no inbox" };
  const { text, tokens } = composeWhole(promptItems(batch, parts));
  // The texts arrive as one, so the first header stands for all.
  const token = tokens[0] ?? "";
  const wasBusy = session.readiness().kind !== "idle";
  const promptDigest = context.digest(text);
  const attempt = { transport: "native", token, promptDigest, wasBusy } as const;
  const expectation = parts.evidence.expect({
    sessionId: session.record.id,
    token,
    promptDigest,
    worth: evidenceOfSubmit("native", wasBusy),
  });
  try {
    await handover.begin(attempt);
    context.checkpoint("native.before-hand-over");
    const startedAt = context.clock.now();
    const result = await inbox.handOver(session.facts, text, handover.signal);
    context.checkpoint("native.after-hand-over");
    if (result.kind === "refused") {
      const release = `when its inbox takes messages again (${result.why})`;
      return holdFor(context, "unknown", release, INBOX_RETRY_MS);
    }
    if (!wasBusy) session.signal({ kind: "handed-over", at: startedAt });
    const acknowledged = result.kind === "handed-over" && result.acknowledged === true;
    const evidence = await awaitProof(parts, {
      expectation,
      prompt: soughtBy(attempt, context.digest),
      startedAt,
      transport: "native",
      // It is in the program's queue until the turn ends, and a hook will report when it is taken: an interrupt behind
      // it must not wait for that.
      ...(acknowledged && wasBusy && session.record.hooked ? { patienceMs: IN_QUEUE_MS } : {}),
    });
    context.checkpoint("deliver.proven");
    if (evidence === "mixed") return { kind: "mixed", transport: "native" };
    if (evidence !== undefined) return { kind: "delivered", transport: "native", evidence };
    if (acknowledged) {
      return { kind: "delivered", transport: "native", evidence: wasBusy ? "queued-in-agent" : "accepted" };
    }
    return {
      kind: "unconfirmed",
      transport: "native",
      note: "handed to the program's inbox; it has not confirmed it yet",
    };
  } finally {
    expectation.cancel();
  }
}

const INBOX_RETRY_MS = 2_000;
const IN_QUEUE_MS = 300;
