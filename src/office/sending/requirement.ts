import { BellhopError } from "../../core/errors.ts";
import { isAtLeast } from "../../core/evidence.ts";
import type { Evidence } from "../../core/message.ts";
import type { LiveSession } from "../presence/live-session.ts";

/** Refuses a `--require` that no rung of a running recipient can give. One that is offline may come back better equipped. */
export function checkRequirement(session: LiveSession | undefined, required: Evidence | undefined): void {
  if (required === undefined || session === undefined) return;
  const best = bestEvidence(session);
  if (isAtLeast(best, required)) return;
  throw new BellhopError("evidence.unavailable", {
    message: `${session.record.agent} can prove a delivery only by "${best}", not by "${required}".`,
    next: session.profile.hookable
      ? `Install its hooks: bellhop hooks install ${session.record.program}, and restart it.`
      : "Send without --require.",
  });
}

function bestEvidence(session: LiveSession): Evidence {
  if (session.record.hooked) return "submitted";
  return session.facts.transcriptPath === undefined ? "screen" : "transcript";
}
