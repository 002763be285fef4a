/** A host that nobody reaches at its socket's path runs on, unseen. It is asked to listen there again, by a signal. */
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
 * `missing`: its host is gone, or does not do what it was asked. `taken`: something that is no socket is at its path, and
 * is somebody's; nobody else may take it away.
 */
export type Reach = "reachable" | "missing" | "taken";

export async function untilReachable(
  record: HostRecord,
  { processes, clock }: { readonly processes: Processes; readonly clock: Clock },
): Promise<Reach> {
  const first = await reachAt(record.socket, clock);
  if (first !== "missing") return first;
  // Not by SIGUSR1, as others do it: Node opens a debugger at that one where nobody has claimed it. A host that is older
  // than this ignores a hangup.
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

/** No socket is at its path, but something else. */
export function isTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() === false;
}

/** What listens there may be slow, or full: only a refusal says that nobody does. */
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
