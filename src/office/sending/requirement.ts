/** What a sender requires as proof, and what a recipient can give. Asked before a message is accepted, here and for other hosts. */
import { BellhopError } from "../../core/errors.ts";
import { isAtLeast } from "../../core/evidence.ts";
import { BEST_OF_HOOK } from "../../core/hook-answer.ts";
import type { Evidence, Transport } from "../../core/message.ts";
import type { Settings } from "../../ports/settings.ts";
import type { LiveSession } from "../presence/live-session.ts";

/** Refuses a `--require` that a running recipient cannot give. An offline one may come back better equipped. */
export function checkRequirement(
  session: LiveSession | undefined,
  required: Evidence | undefined,
  settings: Settings,
): void {
  if (required === undefined || session === undefined) return;
  const best = bestEvidence(session, settings.transports(session.record.program));
  if (isAtLeast(best, required)) return;
  throw new BellhopError("evidence.unavailable", {
    message: `${session.record.agent} can prove a delivery only by "${best}", not by "${required}".`,
    next: betterEvidence(session),
  });
}

function betterEvidence({ record, profile }: LiveSession): string {
  if (record.hooked)
    return `Allow another way in for ${record.program} (transports in config.yaml), or ask for less.`;
  return profile.hookable
    ? `Install its hooks: bellhop hooks install ${record.program}, and restart it.`
    : "Send without --require.";
}

function bestEvidence(session: LiveSession, allowed: readonly Transport[]): Evidence {
  // No prompt hook follows the answer to a hook.
  const byPrompt = allowed.some((transport) => transport !== "hook" && transport !== "doorbell");
  if (session.record.hooked) return byPrompt ? "submitted" : BEST_OF_HOOK;
  return session.facts.transcriptPath === undefined ? "screen" : "transcript";
}
