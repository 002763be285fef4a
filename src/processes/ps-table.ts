import { present } from "../core/present.ts";
import type { Job, Jobs } from "../core/readiness/standing.ts";
import type { ProcessInfo } from "../ports/processes.ts";
import { isForeground, isStopped } from "./proc-stat.ts";

/** Parses what `ps` and `lsof` print on macOS. Pure. */

export const PS_COLUMNS = "pid=,ppid=,pgid=,tpgid=,state=,tty=,lstart=";
const ROW =
  /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(\S+)\s+(\S+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]+\s+\d{4})(?:\s+(.*))?$/;

/** Two tables with the same columns, one ending in `ucomm=`, one in `args=`: both texts may contain spaces. */
export function parsePsTables(names: string, commandLines: string): readonly ProcessInfo[] {
  const argvByPid = new Map(rowsOf(commandLines).map((row) => [row.pid, row.text.split(/\s+/)]));
  return rowsOf(names).map((row) => {
    const foreground = isForeground(row);
    return {
      pid: row.pid,
      parentPid: row.parentPid,
      startedAt: row.startedAt,
      argv: argvByPid.get(row.pid) ?? [],
      command: row.text,
      group: row.group,
      isStopped: row.isStopped,
      ...present({ foreground }),
    };
  });
}

function rowsOf(table: string) {
  return table.split("\n").flatMap((line) => {
    const parts = ROW.exec(line);
    if (parts === null) return [];
    const [, pid, parentPid, group, foregroundGroup, state = "", tty = "", startedAt = "", text = ""] = parts;
    return [
      {
        pid: Number(pid),
        parentPid: Number(parentPid),
        group: Number(group),
        foregroundGroup: Number(foregroundGroup),
        isStopped: isStopped({ state }),
        terminal: /^[?-]+$/.test(tty) ? undefined : tty,
        startedAt: oneSpaced(startedAt),
        text: text.trim(),
      },
    ];
  });
}

/** `ps -ax` with fixed columns: every process and its job-control state. */
export function parseJobs(table: string): Jobs {
  const jobs = new Map(rowsOf(table).map(({ pid, text: _, ...job }): [number, Job] => [pid, job]));
  return {
    of: (pid) => jobs.get(pid),
    under: (pid) => [...jobs.values()].filter(({ parentPid }) => parentPid === pid),
  };
}

/** `lstart` pads the day to two places. */
export function oneSpaced(startedAt: string): string {
  return startedAt.trim().replace(/\s+/g, " ");
}

/** The process and its descendants, parents first. */
export function subtree(all: readonly ProcessInfo[], rootPid: number): readonly ProcessInfo[] {
  const byParent = groupByParent(all);
  const found = all.filter((each) => each.pid === rootPid);
  for (const each of found) found.push(...(byParent.get(each.pid) ?? []));
  return found;
}

/** The process and its ancestors, nearest first. */
export function lineage(all: readonly ProcessInfo[], pid: number): readonly ProcessInfo[] {
  const byPid = new Map(all.map((each) => [each.pid, each]));
  const found = new Set<ProcessInfo>();
  for (let at = byPid.get(pid); at !== undefined && !found.has(at); at = byPid.get(at.parentPid))
    found.add(at);
  return [...found];
}

function groupByParent(all: readonly ProcessInfo[]): ReadonlyMap<number, readonly ProcessInfo[]> {
  const groups = new Map<number, ProcessInfo[]>();
  for (const each of all) groups.set(each.parentPid, [...(groups.get(each.parentPid) ?? []), each]);
  return groups;
}

/** `lsof -a -p PID -d cwd -Fn`: one field per line, with `n` before the name. */
export function parseWorkingFolder(output: string): string | undefined {
  return output
    .split("\n")
    .find((line) => line.startsWith("n/"))
    ?.slice(1);
}

/** `ps -E`: the environment follows the arguments, separated by spaces like everything else. */
export function parseEnvironment(
  commandLine: string,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const variable = /(?:^|\s)([A-Za-z_][A-Za-z0-9_]*)=(.*?)(?=\s+[A-Za-z_][A-Za-z0-9_]*=|$)/gs;
  const found = [...commandLine.trim().matchAll(variable)].map(([, name = "", value = ""]) => [name, value]);
  return Object.fromEntries(found.filter(([name]) => names.includes(name ?? "")));
}
