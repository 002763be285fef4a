import { execFile } from "node:child_process";
import { BellhopError } from "../../../core/errors.ts";
import { present } from "../../../core/present.ts";

/** How the tmux program is run: never through a shell, and never so that it could start a server. */
export interface TmuxProgram {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
}

type RunOutcome =
  | { readonly kind: "done"; readonly stdout: string }
  | { readonly kind: "failed"; readonly stderr: string }
  | { readonly kind: "late" };

/** 3.2 added `attach-session -f` and `-N`. */
const OLDEST = { major: 3, minor: 2 } as const;
const MAX_STDOUT_BYTES = 8 * 1024 * 1024;

/**
 * Only what tmux needs to run: with `TMUX` it would think it is nested, and `attach-session` would copy other variables
 * (`SSH_AUTH_SOCK`, `DISPLAY`) over those of the person's session.
 */
export function tmuxProgram(environment: Readonly<Record<string, string | undefined>>): TmuxProgram {
  const { PATH, HOME, TMPDIR, TMUX_TMPDIR } = environment;
  const kept = present({ PATH, HOME, TMPDIR, TMUX_TMPDIR });
  return { path: "tmux", environment: { ...kept, LC_ALL: "C.UTF-8", TERM: "dumb" } };
}

export function serverArguments(socket: string): readonly string[] {
  return ["-N", "-u", "-S", socket];
}

/** One short-lived call, for what must be known before there is a connection. */
export function runTmux(
  program: TmuxProgram,
  argv: readonly string[],
  deadlineMs: number,
): Promise<RunOutcome> {
  return new Promise((resolve, reject) => {
    execFile(
      program.path,
      [...argv],
      {
        env: program.environment,
        timeout: deadlineMs,
        killSignal: "SIGKILL",
        maxBuffer: MAX_STDOUT_BYTES,
        encoding: "utf8",
      },
      (error, stdout, stderr) => {
        if (error === null) resolve({ kind: "done", stdout });
        else if (error.code === "ENOENT") reject(tmuxMissing(error));
        else if (error.killed) resolve({ kind: "late" });
        else resolve({ kind: "failed", stderr: stderr.trim() || error.message });
      },
    );
  });
}

/** For `doctor`, and before a first use. Throws `tmux.missing`. */
export async function tmuxVersion(
  program: TmuxProgram,
): Promise<{ readonly version: string; readonly supported: boolean }> {
  const outcome = await runTmux(program, ["-V"], 5_000);
  if (outcome.kind !== "done") {
    throw new BellhopError("tmux.command_failed", {
      message: `"tmux -V" did not answer${outcome.kind === "failed" ? `: ${outcome.stderr}` : " in time"}.`,
      next: `Run "tmux -V" yourself; reinstall tmux if it fails too.`,
    });
  }
  const version = outcome.stdout.replace(/^tmux\s+/, "").trim();
  return { version, supported: isSupportedVersion(version) };
}

/** `3.3a`, `next-3.6`, `openbsd-7.4`: an unknown scheme is assumed to be new. */
export function isSupportedVersion(version: string): boolean {
  const numbers = /^(?:next-)?(\d+)\.(\d+)/.exec(version);
  if (numbers === null) return true;
  const major = Number(numbers[1]);
  return major > OLDEST.major || (major === OLDEST.major && Number(numbers[2]) >= OLDEST.minor);
}

export function tmuxMissing(cause: unknown): BellhopError {
  return new BellhopError("tmux.missing", {
    message: "The tmux program cannot be found.",
    next: `Install tmux ${OLDEST.major}.${OLDEST.minor} or newer and make sure it is on the PATH of the daemon, then run "bellhop doctor".`,
    cause,
  });
}
