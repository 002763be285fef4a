/**
 * Programs whose host was killed. The kernel has hung up their terminal, and most end by that; one that does not
 * would go on where nobody sees it, and beside its successor.
 */
import type { Clock } from "../../ports/clock.ts";
import type { Processes } from "../../ports/processes.ts";
import { type ProgramProcess, signalProgram } from "./process-signals.ts";

/** Time to put things away after the hangup. */
const GRACE_MS = 5_000;

export class Orphans {
  readonly #processes: Processes;
  readonly #clock: Clock;
  readonly #timers = new Map<number, () => void>();
  /** Those that are being stopped. */
  readonly #left = new Set<number>();

  constructor(processes: Processes, clock: Clock) {
    this.#processes = processes;
    this.#clock = clock;
  }

  /** Its host is gone: if it is still there after a moment, it is ended. */
  sighted(program: ProgramProcess): void {
    const { programPid } = program;
    if (this.#timers.has(programPid) || this.#left.has(programPid)) return;
    const cancel = this.#clock.after(GRACE_MS, () => {
      this.#timers.delete(programPid);
      signalProgram(this.#processes, program, "SIGKILL").catch(() => {
        // It could not be asked for; the next look tries again.
      });
    });
    this.#timers.set(programPid, cancel);
  }

  /** The program is being stopped, with a grace period of its own. Returns a function that takes this back. */
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
