/**
 * Where a program stands at its terminal, as the kernel tells it: only the foreground group reads keys, and only while it is
 * not stopped. What shows on the screen of a terminal is no proof: Ctrl-Z leaves the program's last picture there, and
 * whatever runs next may draw a prompt that looks the same.
 */
export type Standing =
  | "in-front"
  /** By Ctrl-Z, a signal or a debugger: it reads nothing. */
  | "stopped"
  /** It runs, and another has the keyboard. */
  | "behind"
  | "gone"
  | "unknown";

/** One process, as job control sees it. */
export interface Job {
  readonly startedAt: string;
  readonly parentPid: number;
  readonly group: number;
  /** Of its terminal. */
  readonly foregroundGroup: number;
  /** Which terminal controls it; undefined without one. */
  readonly terminal: string | undefined;
  readonly isStopped: boolean;
}

/** More than any shell nests. */
const DEEPEST = 64;

/**
 * `terminalPid`: the process that the terminal was opened with. A program inside a terminal of its own (`script`, `expect`)
 * stands in front when it does there, and the one that keeps that terminal does here.
 */
export function standingOf(
  agent: { readonly pid: number; readonly startedAt: string },
  terminalPid: number,
  jobOf: (pid: number) => Job | undefined,
): Standing {
  const own = jobOf(agent.pid);
  if (own === undefined || own.startedAt !== agent.startedAt) return "gone";
  if (own.isStopped) return "stopped";
  const terminal = jobOf(terminalPid)?.terminal;
  if (terminal === undefined || own.terminal === undefined) return "unknown";
  if (!leads(own)) return "behind";
  const here = nearestAt(terminal, own, jobOf);
  if (here === undefined) return "behind";
  if (here.isStopped) return "stopped";
  return leads(here) ? "in-front" : "behind";
}

function leads({ group, foregroundGroup }: Job): boolean {
  return group === foregroundGroup;
}

/** The process itself, or the nearest above it that this terminal controls. */
function nearestAt(terminal: string, own: Job, jobOf: (pid: number) => Job | undefined): Job | undefined {
  let job: Job | undefined = own;
  for (let depth = 0; depth < DEEPEST && job !== undefined; depth += 1) {
    if (job.terminal === terminal) return job;
    job = jobOf(job.parentPid);
  }
  return undefined;
}

export type Suspension = Extract<Standing, "stopped" | "behind">;

export function isSuspended(standing: Standing): standing is Suspension {
  return standing === "stopped" || standing === "behind";
}

/** What releases a message that waits for it. */
export const BRING_IT_BACK = "when it is in front of its terminal again: bring it back with fg";

export function suspensionShown(standing: Suspension): string {
  return standing === "stopped"
    ? "suspended: bring it back with fg"
    : "in the background, another program is in front: bring it back with fg";
}
