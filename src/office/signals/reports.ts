/** What a door was told as a hook's event: of whom it is. Asked by whoever decides whether it may be told, and by who acts. */
import { BellhopError } from "../../core/errors.ts";
import type { HookEvent } from "../../ports/program.ts";
import type { HookEventRequest, HookReport } from "../../wire/verbs/daemon.ts";
import { programHaving } from "../arrivals/conversation.ts";
import type { Directory } from "../presence/directory.ts";

export interface ReportParts {
  readonly directory: Directory;
  parseHookEvent(request: HookEventRequest): HookEvent;
}

/** A report without its program is of a session that is named, or whose conversation its payload names. */
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
