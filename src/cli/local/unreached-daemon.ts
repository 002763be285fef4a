/**
 * A daemon that runs but does not listen: it is starting or ending, or its socket was removed and it cannot restore it.
 * It is found by the record next to its lock.
 */
import type { Client } from "../../client/connect.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Home } from "../../home/home.ts";
import { isAlive, readHolder } from "../../home/lock-holder.ts";
import { processesOn } from "../../processes/processes.ts";
import type { CommandContext } from "../context.ts";

export type UnreachedDaemon =
  | { readonly kind: "none" }
  | { readonly kind: "runs"; readonly pid: number }
  /** There is a process with that pid, but it may not be the daemon. */
  | { readonly kind: "unknown"; readonly pid: number };

/** Time for a daemon to restore its socket, or to open it for the first time. */
const LISTENS_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 25;

export async function unreachedDaemon({ lock }: Home): Promise<UnreachedDaemon> {
  const holder = readHolder(lock);
  if (holder === undefined || !isAlive(holder.pid)) return { kind: "none" };
  const { pid, startedAt } = holder;
  if (startedAt === undefined) return { kind: "unknown", pid };
  const state = await processesOn(process.platform).alive(pid, startedAt);
  if (state === "gone") return { kind: "none" };
  return { kind: state === "alive" ? "runs" : "unknown", pid };
}

/** Never starts one. Throws `daemon.not_running` only if that is certain. */
export async function reachIfRunning(context: CommandContext): Promise<Client> {
  const until = performance.now() + LISTENS_WITHIN_MS;
  for (;;) {
    try {
      return await context.reach("never");
    } catch (error) {
      if (!(error instanceof BellhopError) || error.code !== "daemon.not_running") throw error;
      const home = context.home();
      const daemon = await unreachedDaemon(home);
      if (daemon.kind === "none") throw error;
      if (performance.now() > until) throw cannotBeReached(daemon, home);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

export function cannotBeReached(
  { kind, pid }: Exclude<UnreachedDaemon, { readonly kind: "none" }>,
  { root, socket }: Home,
): BellhopError {
  return kind === "runs"
    ? new BellhopError("daemon.unreachable", {
        message: `The daemon (process ${pid}) serves ${root}, but does not listen on ${socket}.`,
        next: 'If it has just been started, try again in a moment. Otherwise look at "bellhop logs", and end it with "bellhop down".',
      })
    : new BellhopError("daemon.unreachable", {
        message: `No daemon listens on ${socket}, and Bellhop cannot tell whether process ${pid} is the daemon of ${root}.`,
        next: `Look at it with "ps -p ${pid}". If it is, end it with "kill ${pid}".`,
      });
}
