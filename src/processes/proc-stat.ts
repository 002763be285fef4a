/** One line of `/proc/<pid>/stat`, translated into the terms of `ps`. Pure. */
export interface ProcStat {
  readonly pid: number;
  readonly command: string;
  /** `Z` has ended and waits to be reaped. */
  readonly state: string;
  readonly parentPid: number;
  readonly group: number;
  /** Device number of its controlling terminal; 0 without one. */
  readonly terminal: number;
  /** Foreground process group of its terminal; -1 without one. */
  readonly foregroundGroup: number;
  readonly startTicks: string;
}

/** The start ticks, counted from the state. */
const LAST_FIELD = 19;

export function parseProcStat(line: string): ProcStat | undefined {
  // The name may contain spaces and parentheses; it ends at the last parenthesis.
  const open = line.indexOf(" (");
  const close = line.lastIndexOf(") ");
  if (open === -1 || close === -1) return undefined;
  // Read around every key: what stands behind the fields that count is left out.
  const fields = line.slice(close + 2).split(" ", LAST_FIELD + 1);
  const [state, parentPid, group] = fields;
  const [terminal, foregroundGroup, startTicks] = [fields[4], fields[5], fields[LAST_FIELD]];
  if (state === undefined || startTicks === undefined || !/^\d+$/.test(startTicks)) return undefined;
  return {
    pid: Number(line.slice(0, open)),
    command: line.slice(open + 2, close),
    state,
    parentPid: Number(parentPid),
    group: Number(group),
    terminal: Number(terminal),
    foregroundGroup: Number(foregroundGroup),
    startTicks,
  };
}

/** `T` by a signal, `t` by a debugger. */
export function isStopped({ state }: Pick<ProcStat, "state">): boolean {
  return state.startsWith("T") || state.startsWith("t");
}

export function isForeground(stat: Pick<ProcStat, "group" | "foregroundGroup">): boolean | undefined {
  return stat.foregroundGroup <= 0 ? undefined : stat.group === stat.foregroundGroup;
}

/** A pid with another start time means that the process is gone; one in another system's format proves nothing. */
export async function aliveBy(
  startOf: () => string | Promise<string>,
  startedAt: string,
  form: RegExp,
): Promise<"alive" | "gone" | "unknown"> {
  try {
    const started = await startOf();
    if (started === "gone") return "gone";
    if (started === startedAt) return "alive";
    return form.test(startedAt) ? "gone" : "unknown";
  } catch {
    return "unknown";
  }
}
