export interface ProcessInfo {
  readonly pid: number;
  readonly parentPid: number;
  /** Kernel start time; with the pid it names one process for ever. Opaque, only compared. */
  readonly startedAt: string;
  /** Argument vector as far as the system shows it. */
  readonly argv: readonly string[];
  /** The short name the kernel keeps. */
  readonly command: string;
  /** True when this process is in its terminal's foreground group; undefined when unknown. */
  readonly foreground?: boolean;
}

export interface Processes {
  /** The process and everything under it, parents before children. Throws when it cannot tell. */
  tree(rootPid: number): Promise<readonly ProcessInfo[]>;
  /** `gone` only when the system says so. */
  alive(pid: number, startedAt: string): Promise<"alive" | "gone" | "unknown">;
  workingFolder(pid: number): Promise<string | undefined>;
  /** Only these variables, never the whole environment. */
  environment(pid: number, names: readonly string[]): Promise<Readonly<Record<string, string>>>;
}
