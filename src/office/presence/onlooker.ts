/** Whoever goes by what a live session shows. One watcher looks for all of them, so none needs a timer of its own. */
import type { Signal } from "../../core/readiness/readiness.ts";
import type { Observation } from "./live-session.ts";

export interface Onlooker {
  /** Every signal once it counts for readiness: also what others read of the screen. */
  heard(signal: Signal): void;
  /** What the watcher itself has just seen. */
  seen?(observation: Observation): void;
  /** More looks than those that follow each change of the screen. */
  wants?(): LooksWanted | undefined;
}

export interface LooksWanted {
  /** Since the last look, also where nothing moves. */
  readonly withinMs: number;
  /** Since the first change after it. */
  readonly afterOutputMs?: number;
}
