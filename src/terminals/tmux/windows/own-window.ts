/**
 * The windows that Bellhop opened itself, recognised by the session id in their command. After a restart of tmux a
 * pane's number may belong to another pane; the session id cannot.
 */
import type { Clock } from "../../../ports/clock.ts";
import type { Processes } from "../../../ports/processes.ts";
import { stopPace } from "../../stop-pace.ts";
import { comparedLiteral } from "../control/quote.ts";
import { runTmux, serverArguments, type TmuxProgram } from "../control/tmux-program.ts";

const DEADLINE_MS = 10_000;
const LOOK_EVERY_MS = 50;
/** Time for a process to disappear after SIGKILL. */
const KILLED_WITHIN_MS = 2_000;

export interface OwnWindow {
  readonly pane: string;
  readonly pid: number;
  readonly state: "runs" | "over";
}

export interface StopWindowTools {
  readonly program: TmuxProgram;
  readonly clock: Clock;
  readonly processes: Processes;
}

export function sessionMark(sessionId: string): string {
  return `BELLHOP_SESSION_ID=${sessionId}`;
}

/** Prefers one that still runs over one that has ended. */
export async function findWindow(
  program: TmuxProgram,
  socket: string,
  sessionId: string,
): Promise<OwnWindow | undefined> {
  const isOurs = `#{m:*${comparedLiteral(sessionMark(sessionId))} *,#{pane_start_command}}`;
  const words = ["list-panes", "-a", "-F", `#{pane_id} #{pane_pid} #{pane_dead} ${isOurs}`];
  const listed = await runTmux(program, [...serverArguments(socket), ...words], DEADLINE_MS);
  const found = (listed.kind === "done" ? listed.stdout : "").split("\n").flatMap((line): OwnWindow[] => {
    const [, pane = "", pid = "", dead = ""] = /^(%\d+) (\d+) ([01]) 1$/.exec(line) ?? [];
    return pane === "" ? [] : [{ pane, pid: Number(pid), state: dead === "1" ? "over" : "runs" }];
  });
  return found.find(({ state }) => state === "runs") ?? found[0];
}

/** SIGTERM, then SIGHUP, then SIGKILL. The window stays open with its last output. */
export async function stopWindow(
  { program, clock, processes }: StopWindowTools,
  socket: string,
  sessionId: string,
  graceMs: number,
): Promise<"stopped" | "running" | "absent"> {
  const window = await runningWindow();
  const identity = window === undefined ? "gone" : await processes.identify(window.pid);
  // The pid may have been reused between the two questions.
  if (identity === "gone" || (await runningWindow())?.pid !== identity.pid) return "absent";
  const { hangUpMs, killMs } = stopPace(graceMs);
  const steps = [
    ["SIGTERM", hangUpMs],
    ["SIGHUP", killMs],
    ["SIGKILL", KILLED_WITHIN_MS],
  ] as const;
  for (const [signal, ms] of steps) {
    if ((await processes.alive(identity.pid, identity.startedAt)) === "alive") send(identity.pid, signal);
    if (await endsWithin(ms)) return "stopped";
  }
  return "running";

  async function runningWindow(): Promise<OwnWindow | undefined> {
    const found = await findWindow(program, socket, sessionId);
    return found?.state === "runs" ? found : undefined;
  }

  async function endsWithin(ms: number): Promise<boolean> {
    const until = clock.monotonic() + ms;
    for (;;) {
      // tmux 3.3a sometimes does not notice that a child has ended until another child ends.
      await runTmux(program, [...serverArguments(socket), "run-shell", "true"], DEADLINE_MS);
      if ((await runningWindow()) === undefined) return true;
      if (clock.monotonic() >= until) return false;
      await new Promise<void>((wake) => {
        clock.after(LOOK_EVERY_MS, wake);
      });
    }
  }
}

/** A window's command leads its own process group, which holds everything it started there. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It ended just now.
  }
}
