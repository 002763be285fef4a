/** Signals to a host and its program from outside, each only to the very process that the host wrote down. */
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

/** It leads a group of its own, with everything it started in its terminal. */
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
    // It ended in this moment.
    return "nobody";
  }
}
