/**
 * Whether a program is in front of its terminal, according to the kernel: only the foreground group reads keys, and
 * only while it is not stopped. The screen is no proof: after Ctrl-Z the program's last picture stays, and what runs
 * next may draw a prompt that looks the same.
 */
export type Standing =
  | "in-front"
  /** By Ctrl-Z, a signal or a debugger: it reads nothing. */
  | "stopped"
  /** It runs, but another program has the keyboard. */
  | "behind"
  | "gone"
  | "unknown";

/** One process, for job control. */
export interface Job {
  readonly startedAt: string;
  readonly parentPid: number;
  readonly group: number;
  /** The foreground group of its terminal. */
  readonly foregroundGroup: number;
  /** Its controlling terminal, if any. */
  readonly terminal: string | undefined;
  /** Without a controlling terminal: the terminal that is its standard input, if the system tells. */
  readonly reads?: string | undefined;
  readonly isStopped: boolean;
  /** Whether its standard input is a terminal, if known: a helper's is not. */
  readonly readsTerminal?: boolean;
}

export interface Jobs {
  of(pid: number): Job | undefined;
  /** Its children, as far as the system tells. */
  under(pid: number): readonly Job[];
}

/** Deeper than any shells are nested. */
const DEEPEST = 64;

/**
 * `terminalPid`: the process that the terminal was opened with. A program in a nested terminal (`script`, `expect`) is
 * in front if it is there, and the owner of the nested terminal is here. A program in a session without a terminal
 * (`setsid -w`, a sandbox) may still read this one; then the process that waits for it decides.
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

/** A wrapper (the script that starts Codex) only waits: its child in the same job reads the keys. */
function isInnerOf({ group, terminal }: Job, child: Job): boolean {
  return child.group === group && child.terminal === terminal && child.readsTerminal !== false;
}

function leads({ group, foregroundGroup }: Job): boolean {
  return group === foregroundGroup;
}

/** The process itself, or its nearest ancestor that this terminal controls. */
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

/** When a message that waits for this is released. */
export const BRING_IT_BACK = "when the person at its terminal brings it back with fg";

export function suspensionShown(standing: Suspension): string {
  return standing === "stopped"
    ? "suspended: bring it back with fg"
    : "in the background behind another program: bring it back with fg";
}
