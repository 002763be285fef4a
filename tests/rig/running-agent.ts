import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { AgentTerminal, Place } from "./agent-terminal.ts";
import type { FakeModel } from "./fake-model.ts";
import { createGitRepository } from "./git-repository.ts";
import { paneOf, tmuxPlace } from "./tmux-place.ts";
import type { TmuxServer } from "./tmux-server.ts";

export interface AgentOptions {
  readonly tmux: TmuxServer;
  readonly model: FakeModel;
  /** By default a pane of `tmux`. */
  readonly place?: Place;
  /** The tmux session; by default the program's name. */
  readonly name?: string;
  /** Created if missing; an existing home keeps its files, so two agents can share it. */
  readonly home?: string;
  /** Likewise. A new one is a git repository with one commit. */
  readonly repo?: string;
  readonly args?: readonly string[];
  readonly extraEnv?: Readonly<Record<string, string>>;
  /** Prepended to PATH, for the program and everything it starts, even through a login shell. */
  readonly pathFolders?: readonly string[];
  readonly cols?: number;
  readonly rows?: number;
  /** `pane`: the program is the terminal's own command. `shell`: started from bash in a pane, which returns at its end. */
  readonly under?: "pane" | "shell";
  /** False: resolve as soon as the pane exists, for a start that should show a dialog. */
  readonly waitForComposer?: boolean;
}

export interface RunningAgent extends AgentPlaces {
  readonly pane: string;
  readonly terminal: AgentTerminal;
}

export interface AgentPlaces {
  readonly session: string;
  readonly home: string;
  readonly repo: string;
}

export async function placeAgent(options: AgentOptions, fallbackName: string): Promise<AgentPlaces> {
  const session = options.name ?? fallbackName;
  const home = options.home ?? join(options.tmux.folder, `${session}-home`);
  const repo = options.repo ?? join(options.tmux.folder, session);
  if (!existsSync(repo)) await createGitRepository(repo);
  mkdirSync(home, { recursive: true });
  if (options.pathFolders) writeLoginProfile(home, options.pathFolders);
  return { session, home, repo };
}

// Codex runs commands in a login shell, where /etc/profile may have reset PATH.
function writeLoginProfile(home: string, pathFolders: readonly string[]): void {
  writeFileSync(join(home, ".profile"), `export PATH="${pathFolders.join(delimiter)}${delimiter}$PATH"\n`);
}

/** Starts the program in its own terminal. */
export async function openTerminal(
  options: AgentOptions,
  places: AgentPlaces,
  command: readonly string[],
  programEnv: Readonly<Record<string, string>>,
): Promise<RunningAgent> {
  const { tmux, cols, rows } = options;
  const path = [...(options.pathFolders ?? []), process.env.PATH ?? "/usr/bin:/bin"].join(delimiter);
  const env = { HOME: places.home, PATH: path, ...programEnv, ...options.extraEnv };
  const size = { ...(cols !== undefined && { cols }), ...(rows !== undefined && { rows }) };
  const session = { name: places.session, cwd: places.repo, env, ...size };
  if (options.under !== "shell") {
    const terminal = await (options.place ?? tmuxPlace(tmux)).open({ ...session, command });
    return { pane: terminal.pane, terminal, ...places };
  }
  const pane = await tmux.newSession({ ...session, command: ["bash", "--norc", "--noprofile"] });
  await tmux.waitForScreen(pane, (screen) => screen.includes("$") || screen.includes("#"));
  await tmux.run("send-keys", "-t", pane, "-l", command.map(shellWord).join(" "));
  await tmux.run("send-keys", "-t", pane, "Enter");
  return { pane, terminal: paneOf(tmux, pane), ...places };
}

function shellWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
