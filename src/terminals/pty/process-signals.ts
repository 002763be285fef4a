/** Signals to a host and its program from outside, each sent only to the exact process that the host recorded. */
import type { Processes } from "../../ports/processes.ts";
import type { HostRecord } from "../../wire/host/host.ts";

export type ProgramProcess = Pick<HostRecord, "programPid" | "programStartedAt">;

export async function signalHost(
  processes: Processes,
  { hostPid, hostStartedAt }: Pick<HostRecord, "hostPid" | "hostStartedAt">,
  signal: NodeJS.Signals,
): Promise<"sent" | "nobody"> {
  return (await processes.alive(hostPid, hostStartedAt)) === "alive" ? send(hostPid, signal) : "nobody";
}

/** The program leads its own process group, which holds everything it started in its terminal. */
export async function signalProgram(
  processes: Processes,
  { programPid, programStartedAt }: ProgramProcess,
  signal: NodeJS.Signals,
): Promise<void> {
  if ((await processes.alive(programPid, programStartedAt)) === "alive") send(-programPid, signal);
}

function send(pid: number, signal: NodeJS.Signals): "sent" | "nobody" {
  try {
    process.kill(pid, signal);
    return "sent";
  } catch {
    // It ended just now.
    return "nobody";
  }
}
