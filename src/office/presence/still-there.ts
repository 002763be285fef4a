/** Whether a program that was found can still be told anything. Asked by the departures and by whoever has just typed to it. */
import type { Processes } from "../../ports/processes.ts";
import type { TerminalIdentity } from "../../ports/terminal.ts";

/**
 * Its process has ended, or whoever had its terminal has: a program without one can be told nothing more. By the process and
 * not by the name in front, for an agent may open an editor or call itself something else.
 */
export async function isOver(
  { agentPid, agentStartedAt, serverPid, serverStartedAt }: TerminalIdentity,
  processes: Pick<Processes, "alive">,
): Promise<boolean> {
  if ((await processes.alive(agentPid, agentStartedAt)) === "gone") return true;
  return (await processes.alive(serverPid, serverStartedAt)) === "gone";
}
