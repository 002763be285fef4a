/** The daemon's process: signals, final error message, exit status. Started by `bellhop up`. */
import { join } from "node:path";
import { BellhopError, diskFullError, type ErrorDetail, isNoRoom } from "../core/errors.ts";
import { openHome } from "../home/home.ts";
import { BEGAN_OPTION, isOverruled } from "../home/stop-mark.ts";
import { STEPS, type Step } from "../office/base/steps.ts";
import { logFile } from "../system/log-file.ts";
import { type Daemon, startDaemon } from "./compose.ts";

/** For crash tests: SIGKILL ourselves or another process at a step's n-th visit, or print each visit to stderr. */
function checkpointFrom(environment: NodeJS.ProcessEnv): (step: Step) => void {
  const {
    BELLHOP_TEST_CRASH_AT: crashAt,
    BELLHOP_TEST_CRASH_PID: crashing = process.pid,
    BELLHOP_TEST_STEPS: steps,
  } = environment;
  if (crashAt === undefined && steps === undefined) return () => {};
  const [name, count = "1"] = (crashAt ?? "").split("#");
  if (crashAt !== undefined && !(STEPS as readonly (string | undefined)[]).includes(name))
    throw new Error(`no such step: ${name}`);
  // Zero and negative numbers mean process groups.
  if (!/^[1-9]\d*$/u.test(String(crashing))) throw new Error(`no such process: ${crashing}`);
  let left = Number(count);
  return (step) => {
    if (steps !== undefined) process.stderr.write(`step ${step}\n`);
    if (step !== name) return;
    left -= 1;
    if (left === 0) process.kill(Number(crashing), "SIGKILL");
  };
}

/** After a signal during the start, the start stops at its next step, or after this long. */
const STARTING_ENDS_WITHIN_MS = 5_000;

async function main(): Promise<void> {
  const home = openHome(process.env, { create: true });
  const { log, flush } = logFile(join(home.logs, "bellhop.log"));
  process.on("uncaughtException", (error) => {
    log.error("daemon.crashed", { cause: String(error.stack ?? error) });
    flush();
    process.stderr.write(`${String(error.stack ?? error)}\n`);
    process.exit(1);
  });
  process.on("exit", flush);
  const began = beganAt(process.argv) ?? performance.timeOrigin;
  let daemon: Daemon | undefined;
  let signalled = false;
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => {
      signalled = true;
      if (daemon !== undefined) void daemon.stop();
      else setTimeout(() => process.exit(0), STARTING_ENDS_WITHIN_MS).unref();
    });
  }
  daemon = await startDaemon({
    home,
    environment: process.env,
    secrets: { ...process.env },
    hide: (names) => {
      for (const name of names) delete process.env[name];
    },
    log,
    checkpoint: checkpointFrom(process.env),
    isOverruled: () => signalled || isOverruled(home.stopMark, { began, now: Date.now() }),
    onStopped: () => process.exit(0),
  }).catch((error: unknown) => {
    // Whoever ends it by a signal knows: that is no error, and needs no words.
    if (signalled && error instanceof BellhopError && error.code === "daemon.stopping") process.exit(0);
    throw error;
  });
}

function beganAt(args: readonly string[]): number | undefined {
  const given = args.find((arg) => arg.startsWith(BEGAN_OPTION))?.slice(BEGAN_OPTION.length);
  return given === undefined ? undefined : Number(given);
}

main().catch((error: unknown) => {
  const told = lastWords(error);
  // A stop before the start completed is an orderly end.
  const status = told.code === "daemon.stopping" ? 0 : 1;
  process.stderr.write(`${JSON.stringify({ error: told })}\n`, () => process.exit(status));
});

function lastWords(error: unknown): ErrorDetail {
  if (error instanceof BellhopError) return error.toDetail();
  if (isNoRoom(error)) return diskFullError("the daemon could not start", error).toDetail();
  return {
    code: "daemon.start_failed",
    message: String(error instanceof Error ? (error.stack ?? error) : error),
    next: "Read the log: bellhop logs.",
  };
}
