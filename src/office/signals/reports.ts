/** Which session a hook's report to a door is about. Used to check the right to report, and to act on it. */
import { BellhopError } from "../../core/errors.ts";
import type { HookEvent } from "../../ports/program.ts";
import type { HookEventRequest, HookReport } from "../../wire/verbs/daemon.ts";
import { programHaving } from "../arrivals/conversation.ts";
import type { Directory } from "../presence/directory.ts";

export interface ReportParts {
  readonly directory: Directory;
  parseHookEvent(request: HookEventRequest): HookEvent;
}

/** A report without its program is about a named session, or about one whose conversation its payload names. */
export function reportedEvent(
  { directory, parseHookEvent }: ReportParts,
  { to, ...report }: HookReport,
): HookEvent {
  const named = to === undefined ? undefined : directory.resolveLive(to).record;
  const program = report.program ?? named?.program ?? programHaving(report.payload, directory.all());
  if (program === undefined) {
    throw new BellhopError("hooks.unknown_program", {
      message: "Nobody can tell whose event this is.",
      next: 'Name the session in "to", or the "program" that reports it.',
    });
  }
  const event = parseHookEvent({ ...report, program });
  return named === undefined ? event : { ...event, sessionId: named.id };
}
