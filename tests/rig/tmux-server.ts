import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { endMarkedProcesses } from "./marked-processes.ts";

export interface TmuxServer {
  /** For `tmux -S` and for `tmux.servers` in a Bellhop config. */
  readonly socket: string;
  /** Short, and removed by `kill()`: a place for homes, repositories and sockets. */
  readonly folder: string;
  run(...args: string[]): Promise<string>;
  /** Answers the pane id, `%0`. */
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
  kill(): Promise<void>;
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

const COMMAND_DEADLINE_MS = 10_000;
const SCREEN_DEADLINE_MS = 20_000;
const MS_BETWEEN_CAPTURES = 40;
const PATIENCE_AFTER_KILL_MS = 3_000;
const MARK = "BELLHOP_RIG_TMUX";

export function startTmuxServer(options: TmuxServerOptions = {}): TmuxServer {
  // A socket path holds 104 bytes on macOS and 108 on Linux: a long TMPDIR would not do.
  const folder = mkdtempSync(join(tmpdir().length > 40 ? "/tmp" : tmpdir(), "bh-"));
  const socket = join(folder, "tmux");
  const configuration = join(folder, "tmux.conf");
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
    run,
    ask,
    capture,

    async newSession({ name, command, cwd, env = {}, cols = 120, rows = 40 }) {
      const variables = Object.entries(env).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
      const size = ["-x", String(cols), "-y", String(rows)];
      // tmux hands a single word to a shell; behind `env` it is always executed directly.
      const argv = ["/usr/bin/env", ...command];
      const format = ["-P", "-F", "#{pane_id}"];
      return (
        await run("new-session", "-d", "-s", name, "-c", cwd, ...size, ...variables, ...format, ...argv)
      ).trim();
    },

    async waitForScreen(pane, matches, { timeoutMs = SCREEN_DEADLINE_MS } = {}) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const screen = await capture(pane);
        if (matches(screen)) return screen;
        if (Date.now() > deadline)
          throw new Error(`No such screen within ${timeoutMs} ms. It shows:\n${screen}`);
        await sleep(MS_BETWEEN_CAPTURES);
      }
    },

    async kill() {
      await run("kill-server").catch(() => "the server ends by itself with its last pane");
      const survivors = await endMarkedProcesses(MARK, socket, PATIENCE_AFTER_KILL_MS);
      rmSync(folder, { recursive: true, force: true });
      if (survivors.length === 0) return;
      const named = survivors.map(({ pid, commandLine }) => `${pid} ${commandLine}`).join("\n  ");
      throw new Error(`These outlived their tmux server and had to be killed:\n  ${named}`);
    },
  };
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

// Nothing of the test's own environment: session variables of an agent that runs the tests would leak into the panes.
function serverEnvironment(folder: string, socket: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: folder,
    SHELL: "/bin/sh",
    LANG: "C.UTF-8",
    [MARK]: socket,
  };
}
