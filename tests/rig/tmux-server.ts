import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { endMarkedProcesses } from "./marked-processes.ts";
import { removeFolder } from "./remove-folder.ts";

export interface TmuxServer {
  /** For `tmux -S` and for `tmux.servers` in a Bellhop config. */
  readonly socket: string;
  /** Removed by `kill()`: a place for homes and repositories. Not in a temporary folder, see `newRunFolder`. */
  readonly folder: string;
  /** The initial environment of every program in it; by its mark, `kill()` finds those that detached themselves. */
  readonly environment: Readonly<Record<string, string>>;
  /** Some programs start a server that outlives them; `kill()` ends those whose command line matches. */
  expectDetached(commandLine: RegExp): void;
  run(...args: string[]): Promise<string>;
  /** Resolves with the pane id, `%0`. */
  newSession(session: SessionOptions): Promise<string>;
  capture(pane: string, options?: { ansi?: boolean }): Promise<string>;
  /** A tmux format, such as `#{pane_dead}`, as seen from the pane. */
  ask(pane: string, format: string): Promise<string>;
  waitForScreen(
    pane: string,
    matches: (screen: string) => boolean,
    options?: { timeoutMs?: number },
  ): Promise<string>;
  /** Ends everything that ever ran in this server, and fails if something had detached itself. */
  kill(patienceMs?: number): Promise<void>;
}

export interface TmuxServerOptions {
  /** Keep a pane whose command has ended. */
  readonly remainOnExit?: boolean;
  readonly historyLines?: number;
}

export interface SessionOptions {
  readonly name: string;
  /** Executed directly, without a shell. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cols?: number;
  readonly rows?: number;
}

const COMMAND_DEADLINE_MS = 120_000;
const SCREEN_DEADLINE_MS = 180_000;
const MS_BETWEEN_CAPTURES = 40;
const OLD_RUN_MS = 24 * 60 * 60 * 1000;
/** On a busy machine a program may take long to notice that its terminal is gone. */
const PATIENCE_MS = 120_000;
const MARK = "BELLHOP_RIG_TMUX";

export function startTmuxServer(options: TmuxServerOptions = {}): TmuxServer {
  const folder = newRunFolder();
  // A socket path has at most 108 bytes: a user's home may be too long for it.
  const socketFolder = mkdtempSync("/tmp/bh-");
  const socket = join(socketFolder, "tmux");
  const configuration = join(socketFolder, "tmux.conf");
  const expectedDetached: RegExp[] = [];
  writeFileSync(configuration, configurationText(options));

  const run = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)("tmux", ["-u", "-S", socket, "-f", configuration, ...args], {
      env: serverEnvironment(folder, socket),
      timeout: COMMAND_DEADLINE_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  };
  const ask = async (pane: string, format: string) =>
    (await run("display-message", "-p", "-t", pane, format)).trimEnd();
  const capture: TmuxServer["capture"] = (pane, { ansi = false } = {}) =>
    run("capture-pane", "-p", ...(ansi ? ["-e"] : []), "-t", pane);

  return {
    socket,
    folder,
    environment: serverEnvironment(folder, socket),
    run,
    ask,
    capture,
    expectDetached: (commandLine) => expectedDetached.push(commandLine),

    async newSession({ name, command, cwd, env = {}, cols = 120, rows = 40 }) {
      const variables = Object.entries(env).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
      const size = ["-x", String(cols), "-y", String(rows)];
      // tmux passes a single word to a shell; after `env` it is always executed directly. A new session's PATH is that of
      // the client that created it, whatever `-e` says.
      const path = env.PATH === undefined ? [] : [`PATH=${env.PATH}`];
      const argv = ["/usr/bin/env", ...path, ...command];
      const format = ["-P", "-F", "#{pane_id}"];
      return (
        await run("new-session", "-d", "-s", name, "-c", cwd, ...size, ...variables, ...format, ...argv)
      ).trim();
    },

    async waitForScreen(pane, matches, { timeoutMs = SCREEN_DEADLINE_MS } = {}) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const askedAt = Date.now();
        const screen = await capture(pane);
        if (matches(screen)) return screen;
        if (Date.now() > deadline)
          throw new Error(`No such screen within ${timeoutMs} ms. It shows:\n${screen}`);
        // Each look starts a tmux; where that takes long, others need the machine.
        await sleep(Math.max(MS_BETWEEN_CAPTURES, 2 * (Date.now() - askedAt)));
      }
    },

    async kill(patienceMs = PATIENCE_MS) {
      await run("kill-server").catch(() => "the server ends by itself with its last pane");
      const expected = (commandLine: string) => expectedDetached.some((pattern) => pattern.test(commandLine));
      const survivors = await endMarkedProcesses({
        variable: MARK,
        value: socket,
        expected,
        patienceMs,
      });
      removeFolder(folder);
      removeFolder(socketFolder);
      if (survivors.length === 0) return;
      const named = survivors.map(({ pid, commandLine }) => `${pid} ${commandLine}`).join("\n  ");
      throw new Error(`These outlived their tmux server and had to be killed:\n  ${named}`);
    },
  };
}

// Codex treats temporary folders differently: it installs no helpers in such a home, and its
// sandbox may write there, so a test would not see what a user sees.
function newRunFolder(): string {
  const runs = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "bellhop-rig", "runs");
  mkdirSync(runs, { recursive: true });
  forgetOldRuns(runs);
  return mkdtempSync(join(runs, "r"));
}

// A run that was killed leaves its folder behind, and a home of Codex is 440 MB.
function forgetOldRuns(runs: string): void {
  for (const name of readdirSync(runs)) {
    const folder = join(runs, name);
    const age = statSync(folder, { throwIfNoEntry: false });
    if (age && Date.now() - age.mtimeMs > OLD_RUN_MS) removeFolder(folder);
  }
}

function configurationText({ remainOnExit = true, historyLines = 20_000 }: TmuxServerOptions): string {
  return [
    "set -g status off",
    'set -g default-terminal "tmux-256color"',
    `set -g remain-on-exit ${remainOnExit ? "on" : "off"}`,
    `set -g history-limit ${historyLines}`,
    "set -s escape-time 10",
    "",
  ].join("\n");
}

// Without the test's own environment: session variables of an agent that runs the tests would leak into the panes.
function serverEnvironment(folder: string, socket: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    HOME: folder,
    SHELL: "/bin/bash",
    LANG: "C.UTF-8",
    [MARK]: socket,
  };
}
