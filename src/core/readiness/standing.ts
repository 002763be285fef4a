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
  /** Of one that no terminal controls: which one is its standard input, where the system tells. */
  readonly reads?: string | undefined;
  readonly isStopped: boolean;
  /** Whether its standard input is a terminal, where that is known: that of a helper is not. */
  readonly readsTerminal?: boolean;
}

export interface Jobs {
  of(pid: number): Job | undefined;
  /** Those that it started, as far as the system tells. */
  under(pid: number): readonly Job[];
}

/** More than any shell nests. */
const DEEPEST = 64;

/**
 * `terminalPid`: the process that the terminal was opened with. A program inside a terminal of its own (`script`, `expect`)
 * stands in front when it does there, and the one that keeps that terminal does here. One that was put into a session without
 * a terminal (`setsid -w`, a sandbox) may read this one all the same: then it stands where the one stands that waits for it.
 */
export function standingOf(
  agent: { readonly pid: number; readonly startedAt: string },
  terminalPid: number,
  jobs: Jobs,
): Standing {
  const own = jobs.of(agent.pid);
  if (own === undefined || own.startedAt !== agent.startedAt) return "gone";
  if (own.isStopped) return "stopped";
  const terminal = jobs.of(terminalPid)?.terminal;
  if (terminal === undefined) return "unknown";
  if (own.terminal === undefined && own.reads !== terminal) return "unknown";
  if (own.terminal !== undefined && !leads(own)) return "behind";
  const here = nearestAt(terminal, own, jobs);
  if (here === undefined) return "behind";
  if (here.isStopped) return "stopped";
  if (!leads(here)) return "behind";
  return jobs.under(agent.pid).some((child) => isInnerOf(own, child) && child.isStopped)
    ? "stopped"
    : "in-front";
}

/** A wrapper (the script that starts Codex) only waits: the program that reads the keys is its child, in the same job. */
function isInnerOf({ group, terminal }: Job, child: Job): boolean {
  return child.group === group && child.terminal === terminal && child.readsTerminal !== false;
}

function leads({ group, foregroundGroup }: Job): boolean {
  return group === foregroundGroup;
}

/** The process itself, or the nearest above it that this terminal controls. */
function nearestAt(terminal: string, own: Job, jobs: Jobs): Job | undefined {
  let job: Job | undefined = own;
  for (let depth = 0; depth < DEEPEST && job !== undefined; depth += 1) {
    if (job.terminal === terminal) return job;
    job = jobs.of(job.parentPid);
  }
  return undefined;
}

export type Suspension = Extract<Standing, "stopped" | "behind">;

export function isSuspended(standing: Standing): standing is Suspension {
  return standing === "stopped" || standing === "behind";
}

/** What releases a message that waits for it. */
export const BRING_IT_BACK = "when the person at its terminal brings it back with fg";

export function suspensionShown(standing: Suspension): string {
  return standing === "stopped"
    ? "suspended: bring it back with fg"
    : "in the background behind another program: bring it back with fg";
}
