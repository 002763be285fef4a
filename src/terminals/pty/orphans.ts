/**
 * Programs whose host was killed. The kernel has hung up their terminal, which ends most of them. One that survives
 * would keep running unseen, alongside its successor.
 */
import type { Clock } from "../../ports/clock.ts";
import type { Processes } from "../../ports/processes.ts";
import { type ProgramProcess, signalProgram } from "./process-signals.ts";

/** Time to clean up after the hangup. */
const GRACE_MS = 5_000;

export class Orphans {
  readonly #processes: Processes;
  readonly #clock: Clock;
  readonly #timers = new Map<number, () => void>();
  /** Programs that a stop is already ending. */
  readonly #left = new Set<number>();

  constructor(processes: Processes, clock: Clock) {
    this.#processes = processes;
    this.#clock = clock;
  }

  /** Reports a program whose host is gone. If it still runs after the grace period, it is ended. */
  sighted(program: ProgramProcess): void {
    const { programPid } = program;
    if (this.#timers.has(programPid) || this.#left.has(programPid)) return;
    const cancel = this.#clock.after(GRACE_MS, () => {
      this.#timers.delete(programPid);
      signalProgram(this.#processes, program, "SIGKILL").catch(() => {
        // Its state could not be read; the next scan tries again.
      });
    });
    this.#timers.set(programPid, cancel);
  }

  /** A stop with its own grace period takes over this program. Returns a function that undoes this. */
  leaveToStop({ programPid }: ProgramProcess): () => void {
    this.#timers.get(programPid)?.();
    this.#timers.delete(programPid);
    this.#left.add(programPid);
    return () => this.#left.delete(programPid);
  }

  close(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}
