import { assertNever, BellhopError } from "../../../core/errors.ts";
import { isAlive } from "../../../home/lock-holder.ts";
import { markStop } from "../../../home/stop-mark.ts";
import type { Command } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { requireOwner } from "../../local/owner-only.ts";
import { cannotBeReached, unreachedDaemon } from "../../local/unreached-daemon.ts";

const STOP_DEADLINE_MS = 15_000;
const LOOK_EVERY_MS = 20;

export const down: Command = {
  name: "down",
  summary: "stop the daemon, even while it starts; waiting messages stay on disk",
  usage: ["down"],
  examples: [{ command: "bellhop down && bellhop up", does: "restart it after an update" }],
  run: async (context) => {
    // First, so that no daemon that waits for the lock takes over from the one that ends.
    if (context.home().state === "ready") markStop(context.home().stopMark, context.now());
    const stopped = await stop(context);
    const said = stopped === "was-not-running" ? "was not running" : "stopped";
    context.out.result({ running: false, home: context.home().root }, said);
  },
};

type Stopped = "stopped" | "was-not-running";

async function stop(context: CommandContext): Promise<Stopped> {
  try {
    await untilGone(await toldToStop(context));
    return "stopped";
  } catch (error) {
    if (!(error instanceof BellhopError)) throw error;
    switch (error.code) {
      case "daemon.not_running":
        return endedBySignal(context);
      case "daemon.stopping":
        await endedBySignal(context);
        return "stopped";
      default:
        throw error;
    }
  }
}

/** Returns its pid. */
async function toldToStop(context: CommandContext): Promise<number> {
  const tell = async (): Promise<number> => {
    const client = await context.reach("never");
    const { pid } = await client.call("status", {}, { timeoutMs: 4_000 });
    await client.call("stop", {});
    client.close();
    return pid;
  };
  try {
    return await tell();
  } catch (error) {
    // One that was still starting has seen the mark: it ends, and says nothing to whoever had just connected.
    if (error instanceof BellhopError && error.code === "daemon.unreachable") return tell();
    throw error;
  }
}

/** The daemon does not listen: a signal ends it in the same way as a request. */
async function endedBySignal(context: CommandContext): Promise<Stopped> {
  await requireOwner(context);
  const home = context.home();
  const daemon = await unreachedDaemon(home);
  switch (daemon.kind) {
    case "none":
      return "was-not-running";
    case "unknown":
      throw cannotBeReached(daemon, home);
    case "runs":
      try {
        process.kill(daemon.pid, "SIGTERM");
      } catch {
        // It has probably just ended; that is checked below.
      }
      await untilGone(daemon.pid);
      return "stopped";
    default:
      return assertNever(daemon);
  }
}

async function untilGone(pid: number): Promise<void> {
  // The process holds the lock until it is gone, and the next `up` would be refused.
  const deadline = performance.now() + STOP_DEADLINE_MS;
  while (isAlive(pid)) {
    if (performance.now() > deadline) {
      throw new BellhopError("daemon.unreachable", {
        message: `Process ${pid} was told to stop, but has not ended within ${STOP_DEADLINE_MS / 1_000} s.`,
        next: `Look at "bellhop logs"; end it with "kill ${pid}".`,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
