import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export interface MarkedProcess {
  readonly pid: number;
  readonly commandLine: string;
}

const MS_BETWEEN_LOOKS = 50;

/**
 * Processes that inherited the variable. A process tree would miss the ones that matter most:
 * those that detached themselves from the terminal.
 */
export function processesMarked(variable: string, value: string): MarkedProcess[] {
  const entry = `${variable}=${value}`;
  const found: MarkedProcess[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (!readProcess(pid, "environ").split("\0").includes(entry)) continue;
    found.push({ pid, commandLine: readProcess(pid, "cmdline").replaceAll("\0", " ").trim() });
  }
  return found;
}

/** Answers the processes that were still there after the time was up; they have been killed. */
export async function endMarkedProcesses(
  variable: string,
  value: string,
  patienceMs: number,
): Promise<MarkedProcess[]> {
  const deadline = Date.now() + patienceMs;
  let left = processesMarked(variable, value);
  while (left.length > 0 && Date.now() < deadline) {
    await sleep(MS_BETWEEN_LOOKS);
    left = processesMarked(variable, value);
  }
  for (const { pid } of left) killIfThere(pid);
  return left;
}

// A process that ended between the listing and the reading has no files any more; a zombie has empty ones.
function readProcess(pid: number, file: "environ" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch (cause) {
    if (["ENOENT", "ESRCH", "EACCES"].includes((cause as NodeJS.ErrnoException).code ?? "")) return "";
    throw cause;
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ESRCH") throw cause;
  }
}
