import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Processes, ProcessInfo } from "../ports/processes.ts";
import { PS_COLUMNS, parseEnvironment, parsePsTables, parseWorkingFolder, subtree } from "./ps-table.ts";

const DEADLINE_MS = 5_000;
const MAX_STDOUT_BYTES = 32 * 1024 * 1024;

export type Run = (program: string, argv: readonly string[]) => Promise<string>;

/** Processes by way of `ps` and `lsof`. A scan asks for many trees at once: they share one pair of calls. */
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

    async alive(pid, startedAt) {
      try {
        const started = await run("ps", ["-o", "lstart=", "-p", String(pid)]);
        return started.trim().replace(/\s+/g, " ") === startedAt ? "alive" : "gone";
      } catch (error) {
        // Exit status 1 is how ps says that there is no such process.
        return (error as { readonly code?: unknown }).code === 1 ? "gone" : "unknown";
      }
    },

    async workingFolder(pid) {
      try {
        return parseWorkingFolder(await run("lsof", ["-a", "-p", String(pid), "-d", "cwd", "-Fn"]));
      } catch {
        return undefined;
      }
    },

    async environment(pid, names) {
      return parseEnvironment(await run("ps", ["-E", "-ww", "-o", "command=", "-p", String(pid)]), names);
    },
  };
}

async function listAll(run: Run): Promise<readonly ProcessInfo[]> {
  const [names, commandLines] = await Promise.all(
    ["ucomm=", "args="].map((last) => run("ps", ["-axww", "-o", `${PS_COLUMNS},${last}`])),
  );
  const processes = parsePsTables(names ?? "", commandLines ?? "");
  if (processes.length === 0) throw new Error("ps lists no process at all");
  return processes;
}

async function runProgram(program: string, argv: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, [...argv], {
    timeout: DEADLINE_MS,
    maxBuffer: MAX_STDOUT_BYTES,
    env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C" },
  });
  return stdout;
}
