import type { Standing } from "../core/readiness/standing.ts";

/**
 * Identifies one process for good: its pid and its start as the kernel gives it. Only this port creates one, because
 * only then can it tell whether that process lives; a start from elsewhere (tmux has its own) identifies nothing.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; only for comparison. */
  readonly startedAt: string;
}

export interface ProcessInfo extends ProcessIdentity {
  readonly parentPid: number;
  /** The arguments, as far as the system shows them. */
  readonly argv: readonly string[];
  /** The short name that the kernel keeps. */
  readonly command: string;
  /** Whether it is in its terminal's foreground group; undefined if unknown. */
  readonly foreground?: boolean;
  /** Its process group: the job that a shell stops and continues as one. */
  readonly group?: number;
  readonly isStopped?: boolean;
}

/** As `standing`, for callers that cannot await. */
export type StandingNow = (agent: ProcessIdentity, terminalPid: number) => Standing;

export interface Processes {
  /** The process and everything under it, parents before children. Throws if it cannot tell. */
  tree(rootPid: number): Promise<readonly ProcessInfo[]>;
  /** Throws if it cannot tell. */
  identify(pid: number): Promise<ProcessIdentity | "gone">;
  /** The process and its ancestors, nearest first, as far as the system tells. */
  lineage(pid: number): Promise<readonly ProcessIdentity[]>;
  /** `gone` only if the system says so. A start that this port did not create is `unknown` while the pid is in use. */
  alive(pid: number, startedAt: string): Promise<"alive" | "gone" | "unknown">;
  /** Almost free. A pid in use may belong to another process by now. */
  isInUse(pid: number): boolean;
  /** Whether keys typed into the terminal that was opened with `terminalPid` reach the agent. */
  standing(agent: ProcessIdentity, terminalPid: number): Promise<Standing>;
  workingFolder(pid: number): Promise<string | undefined>;
  /** Only these variables, never the whole environment. */
  environment(pid: number, names: readonly string[]): Promise<Readonly<Record<string, string>>>;
}
