/** Ends a program through its host or, if the host does not answer, with the same signals at the same pace. */
import type { Clock } from "../../ports/clock.ts";
import type { HostFacts } from "../../ports/hosts.ts";
import type { Processes } from "../../ports/processes.ts";
import type { HostRecord } from "../../wire/host/host.ts";
import { stopPace } from "../stop-pace.ts";
import type { HostLink } from "./host-link.ts";
import type { Orphans } from "./orphans.ts";
import { signalHost, signalProgram } from "./process-signals.ts";

export interface StopParts {
  readonly clock: Clock;
  readonly processes: Processes;
  readonly link: HostLink;
  readonly orphans: Orphans;
  facts(): Promise<HostFacts | undefined>;
}

const LOOK_EVERY_MS = 50;
/** Time for a host to record how its program ended. */
const WRITES_DOWN_WITHIN_MS = 2_000;
/** The same, before the host is killed as a last resort: only the host knows how its program ended. */
const WRITES_DOWN_AT_LAST_MS = 5_000;
/** Time for a process to disappear after SIGKILL. */
const KILLED_WITHIN_MS = 1_000;

export async function stopHost(
  record: HostRecord,
  graceMs: number,
  parts: StopParts,
): Promise<"stopped" | "running"> {
  const letGo = parts.orphans.leaveToStop(record);
  try {
    return await end(record, graceMs, parts);
  } finally {
    letGo();
  }
}

async function end(record: HostRecord, graceMs: number, parts: StopParts): Promise<"stopped" | "running"> {
  const { link, processes } = parts;
  // A host stopped by a signal must run to end its program and record the ending. It is resumed before it is asked:
  // otherwise it would read the request later and act on it alongside our signals.
  await signalHost(processes, record, "SIGCONT");
  const answer = await link.ask({ type: "stop", graceMs });
  const ended =
    answer === "unreachable" || answer === "lost"
      ? await endsBySignals(record, graceMs, parts)
      : await endsByItsHost(record, graceMs, parts);
  if (ended) return "stopped";
  // Only the program at first: its host, if it can, still records how the program ended.
  await signalProgram(processes, record, "SIGKILL");
  if (await endsWithin(record, WRITES_DOWN_AT_LAST_MS, parts)) return "stopped";
  await signalHost(processes, record, "SIGKILL");
  return (await endsWithin(record, KILLED_WITHIN_MS, parts)) ? "stopped" : "running";
}

async function endsByItsHost(record: HostRecord, graceMs: number, parts: StopParts): Promise<boolean> {
  if (await endsWithin(record, graceMs, parts)) return true;
  const isLost = (await parts.facts())?.state === "lost";
  return !isLost && (await endsWithin(record, WRITES_DOWN_WITHIN_MS, parts));
}

/** Does from outside what its host would do: a signal cannot carry the length of the grace period. */
async function endsBySignals(record: HostRecord, graceMs: number, parts: StopParts): Promise<boolean> {
  const { processes } = parts;
  const { hangUpMs, killMs } = stopPace(graceMs);
  await signalProgram(processes, record, "SIGTERM");
  if (await endsWithin(record, hangUpMs, parts)) return true;
  await signalProgram(processes, record, "SIGHUP");
  return endsWithin(record, killMs, parts, "while-it-runs");
}

/**
 * The grace period belongs to the program, even if its host dies meanwhile. `while-it-runs`: once the
 * program is gone, its host gets only a short time to record that, not the rest of the period.
 */
async function endsWithin(
  record: HostRecord,
  ms: number,
  { clock, processes, facts }: StopParts,
  waits: "all-the-time" | "while-it-runs" = "all-the-time",
): Promise<boolean> {
  let until = clock.monotonic() + ms;
  for (;;) {
    const state = (await facts())?.state;
    if (state === "exited") return true;
    if (state === "lost" || waits === "while-it-runs") {
      const program = await processes.alive(record.programPid, record.programStartedAt);
      if (program === "gone" && state === "lost") return true;
      if (program === "gone") until = Math.min(until, clock.monotonic() + WRITES_DOWN_WITHIN_MS);
    }
    if (clock.monotonic() >= until) return false;
    await new Promise<void>((wake) => {
      clock.after(LOOK_EVERY_MS, wake);
    });
  }
}
