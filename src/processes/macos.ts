import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
import { standingOf } from "../core/readiness/standing.ts";
import type { Processes, ProcessInfo, StandingNow } from "../ports/processes.ts";
import { isInUse } from "./in-use.ts";
import { aliveBy } from "./proc-stat.ts";
import {
  lineage,
  oneSpaced,
  PS_COLUMNS,
  parseEnvironment,
  parseJobs,
  parsePsTables,
  parseWorkingFolder,
  subtree,
} from "./ps-table.ts";

/** The format of `lstart`: Mon Nov 3 09:01:03 2025. */
const START_FORM = /^\w{3} \w{3} \d+ [\d:]+ \d{4}$/;
const DEADLINE_MS = 5_000;
const JOBS = ["-axww", "-o", PS_COLUMNS];
const MAX_STDOUT_BYTES = 32 * 1024 * 1024;

export type Run = (program: string, argv: readonly string[]) => Promise<string>;

/** Processes read with `ps` and `lsof`. A scan asks for many trees at once: they share one pair of calls. */
export function macosProcesses(run: Run = runProgram): Processes {
  let underWay: Promise<readonly ProcessInfo[]> | undefined;
  const all = () => {
    underWay ??= listAll(run).finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
  return {
    tree: async (rootPid) => subtree(await all(), rootPid),

    async identify(pid) {
      const startedAt = await startOf(run, pid);
      return startedAt === "gone" ? "gone" : { pid, startedAt };
    },

    lineage: async (pid) => lineage(await all(), pid),

    alive: (pid, startedAt) => aliveBy(() => startOf(run, pid), startedAt, START_FORM),

    isInUse,

    standing: (agent, terminalPid) =>
      run("ps", JOBS)
        .then((table) => standingOf(agent, terminalPid, parseJobs(table)))
        .catch(() => "unknown" as const),

    workingFolder: (pid) =>
      run("lsof", ["-a", "-p", String(pid), "-d", "cwd", "-Fn"])
        .then(parseWorkingFolder)
        .catch(() => undefined),

    async environment(pid, names) {
      return parseEnvironment(await run("ps", ["-E", "-ww", "-o", "command=", "-p", String(pid)]), names);
    },
  };
}

/** Synchronous: it blocks for the few milliseconds that `ps` takes. */
export function macosStanding(
  runNow: (program: string, argv: readonly string[]) => string = runProgramNow,
): StandingNow {
  return (agent, terminalPid) => {
    try {
      return standingOf(agent, terminalPid, parseJobs(runNow("ps", JOBS)));
    } catch {
      return "unknown";
    }
  };
}

async function startOf(run: Run, pid: number): Promise<string | "gone"> {
  try {
    return oneSpaced(await run("ps", ["-o", "lstart=", "-p", String(pid)]));
  } catch (error) {
    // ps exits with 1 if there is no such process.
    if ((error as { readonly code?: unknown }).code === 1) return "gone";
    throw error;
  }
}

async function listAll(run: Run): Promise<readonly ProcessInfo[]> {
  const [names, commandLines] = await Promise.all(
    ["ucomm=", "args="].map((last) => run("ps", ["-axww", "-o", `${PS_COLUMNS},${last}`])),
  );
  const processes = parsePsTables(names ?? "", commandLines ?? "");
  if (processes.length === 0) throw new Error("ps lists no process at all");
  return processes;
}

const RUN_OPTIONS = {
  timeout: DEADLINE_MS,
  maxBuffer: MAX_STDOUT_BYTES,
  env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C" },
};

async function runProgram(program: string, argv: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, [...argv], RUN_OPTIONS);
  return stdout;
}

function runProgramNow(program: string, argv: readonly string[]): string {
  return execFileSync(program, [...argv], { ...RUN_OPTIONS, encoding: "utf8" });
}
