/** Signals to a host and its program from outside, each only to the very process that the host wrote down. */
import type { Processes } from "../../ports/processes.ts";
import type { HostRecord } from "../../wire/host.ts";

export type HostProcess = Pick<HostRecord, "hostPid" | "hostStartedAt">;
export type ProgramProcess = Pick<HostRecord, "programPid" | "programStartedAt">;

/** It ends its program in good order, as when it is asked; one that somebody halted must go on for that. */
export async function askHostToEnd(processes: Processes, host: HostProcess): Promise<void> {
  for (const signal of ["SIGTERM", "SIGCONT"] as const) await toHost(processes, host, signal);
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
export async function killProgram(
  processes: Processes,
  { programPid, programStartedAt }: ProgramProcess,
): Promise<void> {
  if ((await processes.alive(programPid, programStartedAt)) === "alive") send(-programPid, "SIGKILL");
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
