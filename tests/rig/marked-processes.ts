import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export interface MarkedProcess {
  readonly pid: number;
  readonly commandLine: string;
}

const MS_BETWEEN_LOOKS = 50;

// By a variable that they inherited: a process tree would miss the most important ones, those that detached themselves.
function processesMarked(variable: string, value: string): MarkedProcess[] {
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
  /** These are killed at once, and are not reported. */
  expected(commandLine: string): boolean;
  readonly patienceMs: number;
}

/** Leaves no such process alive; returns those that did not end by themselves in time. */
export async function endMarkedProcesses(options: EndingOptions): Promise<MarkedProcess[]> {
  const { variable, value, expected, patienceMs } = options;
  const deadline = Date.now() + patienceMs;
  const survivors = new Map<number, MarkedProcess>();
  for (;;) {
    const left = processesMarked(variable, value);
    if (left.length === 0) return [...survivors.values()];
    for (const one of left) {
      if (expected(one.commandLine)) killIfThere(one.pid);
      else if (Date.now() >= deadline) {
        survivors.set(one.pid, one);
        killIfThere(one.pid);
      }
    }
    await sleep(MS_BETWEEN_LOOKS);
  }
}

// A process that ended between the listing and the reading no longer has files; a zombie has empty ones.
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
