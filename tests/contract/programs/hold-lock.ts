import { takeDaemonLock } from "../../../src/daemon/lock.ts";

/** Prints whether it got the lock; the holder keeps it until it is told to end. */
const [path = ""] = process.argv.slice(2);
const outcome = await takeDaemonLock(path, process.pid);
if (outcome.kind === "held") {
  const alive = setInterval(() => {}, 1_000);
  process.once("SIGTERM", () => {
    clearInterval(alive);
    outcome.release();
    outcome.release();
  });
}
console.log(
  JSON.stringify({ kind: outcome.kind, pid: outcome.kind === "taken" ? outcome.pid : process.pid }),
);
