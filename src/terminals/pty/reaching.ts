/** A host whose socket file is missing keeps running but cannot be reached. A signal asks it to listen there again. */
import { lstatSync } from "node:fs";
import { connect } from "node:net";
import type { Clock } from "../../ports/clock.ts";
import type { Processes } from "../../ports/processes.ts";
import type { HostRecord } from "../../wire/host/host.ts";
import { signalHost } from "./process-signals.ts";

const LISTENS_WITHIN_MS = 1_000;
const LOOK_EVERY_MS = 20;
const ANSWERS_WITHIN_MS = 1_000;

/**
 * `missing`: the host is gone, or did not respond to the signal. `taken`: something other than a socket is at its
 * path; it belongs to someone else, so it is not removed.
 */
export type Reach = "reachable" | "missing" | "taken";

export async function untilReachable(
  record: HostRecord,
  { processes, clock }: { readonly processes: Processes; readonly clock: Clock },
): Promise<Reach> {
  const first = await reachAt(record.socket, clock);
  if (first !== "missing") return first;
  // Not SIGUSR1, the usual choice: Node opens a debugger on it unless the process handles it. Hosts older than this
  // signal ignore SIGHUP.
  if ((await signalHost(processes, record, "SIGHUP")) === "nobody") return "missing";
  const until = clock.monotonic() + LISTENS_WITHIN_MS;
  for (;;) {
    const reach = await reachAt(record.socket, clock);
    if (reach !== "missing" || clock.monotonic() > until) return reach;
    await new Promise<void>((wake) => {
      clock.after(LOOK_EVERY_MS, wake);
    });
  }
}

/** Whether something other than a socket is at the path. */
export function isTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() === false;
}

/** The listener may be slow, or its queue full: only a refused connection proves that nothing listens. */
async function reachAt(path: string, clock: Clock): Promise<Reach> {
  if (isTaken(path)) return "taken";
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (reach: Reach): void => {
      cancel();
      socket.destroy();
      resolve(reach);
    };
    const cancel = clock.after(ANSWERS_WITHIN_MS, () => settle("reachable"));
    socket.once("connect", () => settle("reachable"));
    socket.on("error", ({ code }: NodeJS.ErrnoException) =>
      settle(code === "ENOENT" || code === "ECONNREFUSED" ? "missing" : "reachable"),
    );
  });
}
