/** Signals to a host and its program from outside, each only to the very process that the host wrote down. */
import type { Processes } from "../../ports/processes.ts";
import type { HostRecord } from "../../wire/host/host.ts";

export type HostProcess = Pick<HostRecord, "hostPid" | "hostStartedAt">;
export type ProgramProcess = Pick<HostRecord, "programPid" | "programStartedAt">;

/** One that somebody halted must go on to end its program, and to write down how that ended. */
export async function wakeHost(processes: Processes, host: HostProcess): Promise<void> {
  await toHost(processes, host, "SIGCONT");
}

/**
 * Not by SIGUSR1, as others do it: Node opens a debugger at that one where nobody has claimed it. A host that is older
 * than this ignores a hangup.
 */
export async function askHostToListen(
  processes: Processes,
  host: HostProcess,
): Promise<"asked" | "not-there"> {
  return (await toHost(processes, host, "SIGHUP")) === "sent" ? "asked" : "not-there";
}

export async function killHost(processes: Processes, host: HostProcess): Promise<void> {
  await toHost(processes, host, "SIGKILL");
}

/** It leads a group of its own, with everything it started in its terminal. */
export async function signalProgram(
  processes: Processes,
  { programPid, programStartedAt }: ProgramProcess,
  signal: NodeJS.Signals,
): Promise<void> {
  if ((await processes.alive(programPid, programStartedAt)) === "alive") send(-programPid, signal);
}

async function toHost(
  processes: Processes,
  { hostPid, hostStartedAt }: HostProcess,
  signal: NodeJS.Signals,
): Promise<"sent" | "nobody"> {
  return (await processes.alive(hostPid, hostStartedAt)) === "alive" ? send(hostPid, signal) : "nobody";
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
