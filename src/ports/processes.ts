import type { Standing } from "../core/readiness/standing.ts";

/**
 * One process for ever: its number and the kernel's start of it. Only this port makes one, for only then can it say whether
 * that process lives; a start from anywhere else (tmux has one of its own) names nobody.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque, only compared. */
  readonly startedAt: string;
}

export interface ProcessInfo extends ProcessIdentity {
  readonly parentPid: number;
  /** Argument vector as far as the system shows it. */
  readonly argv: readonly string[];
  /** The short name the kernel keeps. */
  readonly command: string;
  /** True when this process is in its terminal's foreground group; undefined when unknown. */
  readonly foreground?: boolean;
  /** Its job: what a shell stops and continues as one. */
  readonly group?: number;
  readonly isStopped?: boolean;
}

/** As `standing`, for one who cannot wait for an answer. */
export type StandingNow = (agent: ProcessIdentity, terminalPid: number) => Standing;

export interface Processes {
  /** The process and everything under it, parents before children. Throws when it cannot tell. */
  tree(rootPid: number): Promise<readonly ProcessInfo[]>;
  /** Throws when it cannot tell. */
  identify(pid: number): Promise<ProcessIdentity | "gone">;
  /** The process and those above it, nearest first, as far as the system tells. */
  lineage(pid: number): Promise<readonly ProcessIdentity[]>;
  /** `gone` only when the system says so. A start that this port has not made is `unknown` while the number is in use. */
  alive(pid: number, startedAt: string): Promise<"alive" | "gone" | "unknown">;
  /** Next to nothing to ask. A number that is in use may be another's by now. */
  isInUse(pid: number): boolean;
  /** Whether keys that go into the terminal, which was opened with this process, reach the agent. */
  standing(agent: ProcessIdentity, terminalPid: number): Promise<Standing>;
  workingFolder(pid: number): Promise<string | undefined>;
  /** Only these variables, never the whole environment. */
  environment(pid: number, names: readonly string[]): Promise<Readonly<Record<string, string>>>;
}
