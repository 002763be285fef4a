/** Acts on what a live session shows. One watcher looks for all onlookers, so none needs its own timer. */
import type { Signal } from "../../core/readiness/readiness.ts";
import type { Observation } from "./observation.ts";

export interface Onlooker {
  /** Every signal, after it counts for readiness: also from other readings of the screen. */
  heard(signal: Signal): void;
  /** What the watcher itself has just read. */
  seen?(observation: Observation): void;
  /** Looks needed beyond those that follow each change of the screen. */
  wants?(): LooksWanted | undefined;
}

export interface LooksWanted {
  /** Since the last look, even if nothing changes. */
  readonly withinMs: number;
  /** Since the first change after the last look. */
  readonly afterOutputMs?: number;
}
