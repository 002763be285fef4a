/** A host whose socket's file was removed runs on, unseen. It is asked to listen again, by a signal. */
import { existsSync } from "node:fs";
import type { Clock } from "../../ports/clock.ts";
import type { Processes } from "../../ports/processes.ts";
import type { HostRecord } from "../../wire/host.ts";
import { askHostToListen } from "./process-signals.ts";

const LISTENS_WITHIN_MS = 1_000;
const LOOK_EVERY_MS = 20;

/** `there`: something is at its path. `missing`: its host is gone, or does not do what it was asked. */
export async function untilSocketIsThere(
  record: HostRecord,
  { processes, clock }: { readonly processes: Processes; readonly clock: Clock },
): Promise<"there" | "missing"> {
  const { socket } = record;
  if (existsSync(socket)) return "there";
  if ((await askHostToListen(processes, record)) === "not-there") return "missing";
  const until = clock.monotonic() + LISTENS_WITHIN_MS;
  while (!existsSync(socket)) {
    if (clock.monotonic() > until) return "missing";
    await new Promise<void>((wake) => {
      clock.after(LOOK_EVERY_MS, wake);
    });
  }
  return "there";
}
