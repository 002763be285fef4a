import { BellhopError, EXIT } from "../../core/errors.ts";
import type { Command } from "../command.ts";
import type { CommandContext } from "../context.ts";

const STOP_DEADLINE_MS = 15_000;
const LOOK_EVERY_MS = 20;

export const down: Command = {
  name: "down",
  summary: "stop the daemon; what waits stays on disk",
  usage: ["down"],
  options: {},
  words: { least: 0, most: 0 },
  examples: [{ command: "bellhop down && bellhop up", does: "restart, after an update" }],
  run: async (context) => {
    const { out } = context;
    const stopped = await stop(context);
    if (out.json) out.value({ running: false, home: context.home().root });
    else out.line(stopped === "was-not-running" ? "was not running" : "stopped");
    return EXIT.ok;
  },
};

async function stop(context: CommandContext): Promise<"stopped" | "was-not-running"> {
  let pid: number;
  try {
    const client = await context.reach("never");
    ({ pid } = await client.call("status", {}, { timeoutMs: 4_000 }));
    await client.call("stop", {});
    client.close();
  } catch (error) {
    if (error instanceof BellhopError && error.code === "daemon.not_running") return "was-not-running";
    // It may have gone before its last word got out; whether it is gone is seen below.
    if (!(error instanceof BellhopError) || error.code !== "daemon.stopping") throw error;
    return "stopped";
  }
  // Until the process is gone it holds the lock, and the next `up` would be refused.
  const deadline = performance.now() + STOP_DEADLINE_MS;
  while (isAlive(pid)) {
    if (performance.now() > deadline) {
      throw new BellhopError("daemon.unreachable", {
        message: `Process ${pid} was told to stop and has not ended within ${STOP_DEADLINE_MS / 1_000} s.`,
        next: `Look at "bellhop logs"; end it with "kill ${pid}".`,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return "stopped";
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
