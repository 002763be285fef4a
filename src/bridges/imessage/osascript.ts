/** Runs AppleScript. The script never changes; what it says and to whom are its arguments, and cannot become script. */
import type { Clock } from "../../ports/clock.ts";
import { startProgram } from "../../system/starting.ts";

/** By account and participant: Messages often does not find a chat with oneself by its id (error -1728). */
export const SEND_SCRIPT = `on run argv
  tell application "Messages"
    set theAccount to 1st account whose service type = iMessage
    send (item 2 of argv) to participant (item 1 of argv) of theAccount
  end tell
end run
`;

const LONGEST_STDERR = 4_096;
/** What a program of the system needs; nothing else of the daemon's environment. */
const PASSED_ON = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR"];

export interface OsascriptOptions {
  readonly program: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly deadlineMs: number;
}

export type OsascriptEnd =
  /** Messages has taken it, which is not yet that it was delivered. */
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly stderr: string }
  /** It was ended before it was through: nobody knows how far it came. */
  | { readonly kind: "ended"; readonly why: "late" | "interrupted" }
  | { readonly kind: "not started"; readonly code: string };

export function runOsascript(
  script: string,
  args: readonly string[],
  options: OsascriptOptions,
  signal: AbortSignal,
): Promise<OsascriptEnd> {
  const { program, clock, deadlineMs } = options;
  return new Promise((resolve) => {
    const { child, stdin, stdout, stderr } = startProgram(program, ["-", ...args], {
      env: environmentOf(options),
      stdio: ["pipe", "pipe", "pipe"],
      // Its own group, so that all of it can be ended.
      detached: true,
    });
    let words = "";
    let ended: "late" | "interrupted" | undefined;
    let failure: string | undefined;
    const end = (why: "late" | "interrupted") => {
      ended = why;
      endGroup(child.pid);
    };
    const cancelDeadline = clock.after(deadlineMs, () => end("late"));
    const interrupt = () => end("interrupted");
    signal.addEventListener("abort", interrupt, { once: true });
    if (signal.aborted) interrupt();

    child.on("error", (error: NodeJS.ErrnoException) => {
      failure ??= error.code ?? error.message;
    });
    child.on("close", (status) => {
      cancelDeadline();
      signal.removeEventListener("abort", interrupt);
      if (child.pid === undefined) resolve({ kind: "not started", code: failure ?? "unknown" });
      else if (ended !== undefined) resolve({ kind: "ended", why: ended });
      else if (status === 0) resolve({ kind: "done" });
      else resolve({ kind: "failed", stderr: words });
    });
    stdout.resume();
    stderr.setEncoding("utf8").on("data", (text: string) => {
      if (words.length < LONGEST_STDERR) words += text.slice(0, LONGEST_STDERR);
    });
    // A program that ends without reading the script says why by its status.
    stdin.on("error", () => {});
    stdin.end(script);
  });
}

function environmentOf({ environment }: OsascriptOptions): Record<string, string> {
  return Object.fromEntries(
    PASSED_ON.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has just ended by itself.
  }
}
