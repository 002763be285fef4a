/** Whether a program can still be told anything. Asked by the departures and after typing. */
import type { Processes } from "../../ports/processes.ts";
import type { ScreenOutcome, TerminalIdentity } from "../../ports/terminal.ts";
import type { OfficeContext } from "../base/context.ts";
import { within } from "../base/deadline.ts";
import type { LiveSession } from "./live-session.ts";

const ANSWERS_WITHIN_MS = 1_500;

/**
 * Its process has ended, or that of its terminal's server: without a terminal it can be told nothing. Decided by
 * process, not by the name in front: an agent may open an editor or rename itself.
 */
export async function isOver(
  { agentPid, agentStartedAt, serverPid, serverStartedAt }: TerminalIdentity,
  processes: Pick<Processes, "alive">,
): Promise<boolean> {
  if ((await processes.alive(agentPid, agentStartedAt)) === "gone") return true;
  return (await processes.alive(serverPid, serverStartedAt)) === "gone";
}

/** `without-terminal`: Gemini CLI goes on when its window is closed, but nobody can tell it anything any more. */
export type Departure = "over" | "without-terminal";

/** Of one that a scan has not seen; undefined if it may still be there. */
export async function departureOf(
  { identity, terminal }: Pick<LiveSession, "identity" | "terminal">,
  { processes, clock }: Pick<OfficeContext, "processes" | "clock">,
): Promise<Departure | undefined> {
  if (await isOver(identity, processes)) return "over";
  const unanswered: ScreenOutcome = { kind: "unreadable", cause: "no answer" };
  const read = terminal.read().catch(() => unanswered);
  const { kind } = await within(clock, ANSWERS_WITHIN_MS, read, unanswered);
  return kind === "gone" ? "without-terminal" : undefined;
}
