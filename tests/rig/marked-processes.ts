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

interface EndingOptions {
  readonly variable: string;
  readonly value: string;
  /** These are killed without waiting, and are not reported. */
  expected(commandLine: string): boolean;
  readonly patienceMs: number;
}

/** Leaves no such process alive; answers those that did not end by themselves in time. */
export async function endMarkedProcesses(options: EndingOptions): Promise<MarkedProcess[]> {
  const { variable, value, expected, patienceMs } = options;
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const left = processesMarked(variable, value);
    const unexpected = left.filter(({ commandLine }) => !expected(commandLine));
    const patient = unexpected.length > 0 && Date.now() < deadline;
    for (const { pid } of patient ? left.filter((one) => !unexpected.includes(one)) : left) killIfThere(pid);
    if (left.length === 0 || !patient) {
      await untilGone(left);
      return unexpected;
    }
    await sleep(MS_BETWEEN_LOOKS);
  }
}

async function untilGone(killed: readonly MarkedProcess[]): Promise<void> {
  while (killed.some(({ pid }) => readProcess(pid, "environ") !== "")) await sleep(MS_BETWEEN_LOOKS);
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
