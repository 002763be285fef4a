/** Whether a program can still be told anything. Asked by the departures and after typing. */
import type { Processes } from "../../ports/processes.ts";
import type { TerminalIdentity } from "../../ports/terminal.ts";

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
