/** Ends a program through its host, and where that does not answer, by signals at the same pace. */
import type { Clock } from "../../ports/clock.ts";
import type { HostFacts } from "../../ports/hosts.ts";
import type { Processes } from "../../ports/processes.ts";
import type { HostRecord } from "../../wire/host.ts";
import type { HostLink } from "./host-link.ts";
import type { Orphans } from "./orphans.ts";
import { killHost, signalProgram, wakeHost } from "./process-signals.ts";
import { stopPace } from "./stop-pace.ts";

export interface StopParts {
  readonly clock: Clock;
  readonly processes: Processes;
  readonly link: HostLink;
  readonly orphans: Orphans;
  facts(): Promise<HostFacts | undefined>;
}

const LOOK_EVERY_MS = 50;
/** For a host to write down how its program ended. */
const WRITES_DOWN_WITHIN_MS = 2_000;
/** For the system, once it was told to kill. */
const KILLED_WITHIN_MS = 1_000;

export async function stopHost(
  record: HostRecord,
  graceMs: number,
  parts: StopParts,
): Promise<"stopped" | "running"> {
  const { link, processes } = parts;
  // Before it is asked: one that somebody halted would find the request once it goes on, and heed it beside our signals.
  await wakeHost(processes, record);
  const answer = await link.ask({ type: "stop", graceMs });
  const ended =
    answer === "unreachable" || answer === "lost"
      ? await endsBySignals(record, graceMs, parts)
      : await endsWithin(record, graceMs + WRITES_DOWN_WITHIN_MS, parts);
  if (ended) return "stopped";
  // First the program alone: its host, if it can, still writes down how that ended.
  await signalProgram(processes, record, "SIGKILL");
  if (await endsWithin(record, WRITES_DOWN_WITHIN_MS, parts)) return "stopped";
  await killHost(processes, record);
  return (await endsWithin(record, KILLED_WITHIN_MS, parts)) ? "stopped" : "running";
}

/** What its host would do: a signal could not tell it how long the grace is. */
async function endsBySignals(record: HostRecord, graceMs: number, parts: StopParts): Promise<boolean> {
  const { processes } = parts;
  const { hangUpMs, killMs } = stopPace(graceMs);
  await signalProgram(processes, record, "SIGTERM");
  if (await endsWithin(record, hangUpMs, parts)) return true;
  await signalProgram(processes, record, "SIGHUP");
  return endsWithin(record, killMs, parts, "while-it-runs");
}

/** `while-it-runs`: the time is the program's; a host that does not write down that it is gone is not given it. */
async function endsWithin(
  record: HostRecord,
  ms: number,
  { clock, processes, orphans, facts }: StopParts,
  waits: "all-the-time" | "while-it-runs" = "all-the-time",
): Promise<boolean> {
  let until = clock.monotonic() + ms;
  while (clock.monotonic() < until) {
    const state = (await facts())?.state;
    if (state === "lost") await orphans.end(record);
    if (state === "lost" || state === "exited") return true;
    if (waits === "while-it-runs") {
      const program = await processes.alive(record.programPid, record.programStartedAt);
      if (program === "gone") until = Math.min(until, clock.monotonic() + WRITES_DOWN_WITHIN_MS);
    }
    await new Promise<void>((wake) => {
      clock.after(LOOK_EVERY_MS, wake);
    });
  }
  return false;
}
