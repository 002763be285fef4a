/** The daemon's process: signals, last words, exit status. Started by `bellhop up`. */
import { join } from "node:path";
import { BellhopError } from "./core/errors.ts";
import { startDaemon } from "./daemon.ts";
import { openHome } from "./home.ts";
import { STEPS, type Step } from "./office/steps.ts";
import { logFile } from "./system/log-file.ts";

/** For the crash tests: SIGKILL at the n-th visit of a step, for us or who is named, or a line on stderr at every one. */
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
  // Zero and less would be whole groups of processes.
  if (!/^[1-9]\d*$/u.test(String(crashing))) throw new Error(`no such process: ${crashing}`);
  let left = Number(count);
  return (step) => {
    if (steps !== undefined) process.stderr.write(`step ${step}\n`);
    if (step !== name) return;
    left -= 1;
    if (left === 0) process.kill(Number(crashing), "SIGKILL");
  };
}

async function main(): Promise<void> {
  const home = openHome(process.env, { create: true });
  const { log, flush } = logFile(join(home.logs, "bellhop.log"));
  process.on("uncaughtException", (error) => {
    log.error("daemon.crashed", { cause: String(error.stack ?? error) });
    flush();
    process.stderr.write(`${String(error.stack ?? error)}\n`);
    process.exit(1);
  });
  const daemon = await startDaemon({
    home,
    environment: process.env,
    log,
    checkpoint: checkpointFrom(process.env),
    onStopped: () => {
      flush();
      process.exit(0);
    },
  });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void daemon.stop());
}

main().catch((error: unknown) => {
  const detail =
    error instanceof BellhopError
      ? error.toDetail()
      : {
          code: "daemon.start_failed",
          message: String(error instanceof Error ? (error.stack ?? error) : error),
          next: "Read the log: bellhop logs.",
        };
  process.stderr.write(`${JSON.stringify({ error: detail })}\n`, () => process.exit(1));
});
