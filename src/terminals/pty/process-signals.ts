/** Signals to a host and its program from outside, each only to the very process that the host wrote down. */
import type { Processes } from "../../ports/processes.ts";
import type { HostRecord } from "../../wire/host.ts";

export type HostProcess = Pick<HostRecord, "hostPid" | "hostStartedAt">;
export type ProgramProcess = Pick<HostRecord, "programPid" | "programStartedAt">;

/** It ends its program in good order, as when it is asked; one that somebody halted must go on for that. */
export async function askHostToEnd(processes: Processes, host: HostProcess): Promise<void> {
  for (const signal of ["SIGTERM", "SIGCONT"] as const) await toHost(processes, host, signal);
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
): Promise<void> {
  if ((await processes.alive(hostPid, hostStartedAt)) === "alive") send(hostPid, signal);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in this moment.
  }
}
