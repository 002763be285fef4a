/**
 * What was found in each pane of a server. A program that starts in a pane draws there, and tmux reports when a window
 * last drew: if nothing was drawn, the processes are not walked again. A program that ends without output is noticed
 * because its pid is free. Every pane is still walked from time to time.
 */
import type { Instant } from "../../core/message.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Processes } from "../../ports/processes.ts";
import type { RecognisedProgram } from "../../ports/profile.ts";

/** tmux reports whole seconds, and a shell may be about to start what was just typed. */
const STILL_DRAWING_MS = 3_000;
export const WALK_AGAIN_MS = 120_000;
/** A new program continues to record who it is even after it has drawn its screen. */
const NEW_FOR_MS = 30_000;
/** Other facts, such as the branch in a program's folder, may change without any output. */
const TELL_AGAIN_MS = 300_000;

export interface Pane {
  readonly id: string;
  readonly pid: number;
  readonly dead: boolean;
  readonly label: string;
  readonly title: string;
  /** When its window was last drawn in, to the second. */
  readonly drawnAt: Instant;
  /** Every session that shows this window, oldest first. */
  readonly sessions: readonly string[];
}

export interface InPane extends RecognisedProgram {
  readonly folder: string | undefined;
}

/** What a look at a pane found. */
export interface PaneLook {
  readonly pane: Pane;
  readonly programs: readonly InPane[];
  readonly asBefore: boolean;
}

interface Known extends PaneLook {
  readonly walkedAt: Instant;
  readonly walkedAtMonotonic: number;
  /** When exactly these programs were first found. */
  readonly sinceMonotonic: number;
  /** When it was last reported as changed. */
  readonly toldAtMonotonic: number;
}

export class KnownPanes {
  readonly #clock: Clock;
  readonly #processes: Pick<Processes, "isInUse">;
  #known = new Map<string, Known>();

  constructor(clock: Clock, processes: Pick<Processes, "isInUse">) {
    this.#clock = clock;
    this.#processes = processes;
  }

  /** Another server's panes have the same ids, and after a config change other programs may be recognised. */
  forget(): void {
    this.#known.clear();
  }

  keepOnly(panes: readonly Pane[]): void {
    const there = new Set(panes.map(({ id }) => id));
    for (const id of this.#known.keys()) if (!there.has(id)) this.#known.delete(id);
  }

  /** What the last look found, if the next one would find the same; then that look is not needed. */
  standing(pane: Pane): PaneLook | undefined {
    const known = this.#known.get(pane.id);
    if (known?.pane !== pane || !known.asBefore || mayHaveDrawn(known, pane)) return undefined;
    const monotonic = this.#clock.monotonic();
    return this.#stands(known, monotonic) && monotonic - known.toldAtMonotonic < TELL_AGAIN_MS
      ? known
      : undefined;
  }

  /** `walk` finds out which programs run there. */
  async look(pane: Pane, walk: () => Promise<readonly InPane[]>): Promise<PaneLook> {
    const now = { walkedAt: this.#clock.now(), walkedAtMonotonic: this.#clock.monotonic() };
    const monotonic = now.walkedAtMonotonic;
    const before = this.#known.get(pane.id);
    const known = before?.pane.pid === pane.pid ? before : undefined;
    const calm = known === undefined || mayHaveDrawn(known, pane) ? undefined : known;
    const walked = calm !== undefined && this.#stands(calm, monotonic) ? calm : undefined;
    const programs = walked?.programs ?? (await walk());
    const same = known !== undefined && isSame(known.programs, programs) ? known : undefined;
    const sinceMonotonic = same?.sinceMonotonic ?? monotonic;
    const asBefore =
      calm !== undefined &&
      same !== undefined &&
      calm.pane.label === pane.label &&
      calm.pane.title === pane.title &&
      monotonic - sinceMonotonic >= NEW_FOR_MS &&
      monotonic - calm.toldAtMonotonic < TELL_AGAIN_MS;
    const toldAtMonotonic = asBefore ? calm.toldAtMonotonic : monotonic;
    const { walkedAt, walkedAtMonotonic } = walked ?? now;
    const look = { pane, programs, asBefore, walkedAt, walkedAtMonotonic, sinceMonotonic, toldAtMonotonic };
    this.#known.set(pane.id, look);
    return look;
  }

  #stands({ walkedAtMonotonic, programs }: Known, monotonic: number): boolean {
    if (monotonic - walkedAtMonotonic >= WALK_AGAIN_MS) return false;
    return programs.every(({ process }) => this.#processes.isInUse(process.pid));
  }
}

/** Compared for equality only, because the clock may have been set. */
function mayHaveDrawn({ pane: { drawnAt }, walkedAt }: Known, pane: Pane): boolean {
  return drawnAt !== pane.drawnAt || Math.abs(walkedAt - drawnAt) < STILL_DRAWING_MS;
}

function isSame(some: readonly InPane[], others: readonly InPane[]): boolean {
  return some === others || identityOf(some) === identityOf(others);
}

function identityOf(programs: readonly InPane[]): string {
  return programs.map(({ program, process }) => `${program} ${process.pid} ${process.startedAt}`).join("\n");
}
