/** Runs a program once, with its input given and its output limited, and ends it with all it started at its deadline. */
import { startProgram } from "./starting.ts";

export interface OneShot {
  readonly command: readonly string[];
  readonly stdin: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Of its standard output; a program that says more is ended. */
  readonly mostBytes: number;
}

export type OneShotOutcome =
  | { readonly kind: "ended"; readonly code: number | null; readonly stdout: string; readonly stderr: string }
  | { readonly kind: "late" }
  | { readonly kind: "too-long" }
  | { readonly kind: "failed"; readonly why: string };

const MOST_ERROR_CHARACTERS = 2_000;

export function runOnce(shot: OneShot): Promise<OneShotOutcome> {
  const [file = "", ...argv] = shot.command;
  const { child, stdin, stdout, stderr } = startProgram(file, argv, {
    cwd: shot.folder,
    env: { ...shot.environment },
    stdio: ["pipe", "pipe", "pipe"],
    // A process group of its own, so that what it starts ends with it.
    detached: true,
  });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let said = "";
    const finish = (outcome: OneShotOutcome): void => {
      clearTimeout(timer);
      if (outcome.kind !== "ended") {
        endGroup(child.pid);
        // What it started elsewhere may hold them open for ever.
        for (const pipe of [stdin, stdout, stderr]) pipe.destroy();
      }
      resolve(outcome);
    };
    const timer = setTimeout(() => finish({ kind: "late" }), shot.timeoutMs);
    stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > shot.mostBytes) finish({ kind: "too-long" });
      else chunks.push(chunk);
    });
    stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-MOST_ERROR_CHARACTERS);
    });
    // It may end without reading what it was given.
    stdin.on("error", () => {});
    child.on("error", (cause) => finish({ kind: "failed", why: cause.message }));
    child.on("close", (code) =>
      finish({ kind: "ended", code, stdout: Buffer.concat(chunks).toString("utf8"), stderr: said }),
    );
    stdin.end(shot.stdin);
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
