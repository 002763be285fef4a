/**
 * A use-case as a list of named steps, run in order: the order can be read in one place, and the points at which the
 * crash tests kill the daemon are entries between the steps. It decides nothing.
 */
import type { Checkpoint, Step } from "./steps.ts";

/** A returned value ends the walk. */
export interface NamedStep<State, End> {
  /** For measurements; function names do not survive the build. */
  readonly name: string;
  readonly take: (state: State) => End;
}

export type Walk<State, End = void> = readonly (Step | NamedStep<State, End | undefined>)[];
export type AsyncWalk<State, End> = readonly (
  | Step
  | NamedStep<State, End | undefined | Promise<End | undefined>>
)[];

export interface Walking {
  readonly checkpoint: Checkpoint;
  /** Runs a step and returns its result; set to measure what each step costs. */
  readonly timed?: (<T>(name: string, take: () => T) => T) | undefined;
}

export function step<State, End>(name: string, take: (state: State) => End): NamedStep<State, End> {
  return { name, take };
}

export function walk<State, End>(walking: Walking, steps: Walk<State, End>, state: State): End | undefined {
  for (const next of steps) {
    if (typeof next === "string") walking.checkpoint(next);
    else {
      const end = taken(walking, next, state);
      if (end !== undefined) return end;
    }
  }
  return undefined;
}

/** Awaits only steps that return a promise; the others run in the same turn of the event loop. */
export async function walkAsync<State, End>(
  walking: Walking,
  steps: AsyncWalk<State, End>,
  state: State,
): Promise<End | undefined> {
  for (const next of steps) {
    if (typeof next === "string") walking.checkpoint(next);
    else {
      const answer = taken(walking, next, state);
      const end = answer instanceof Promise ? await answer : answer;
      if (end !== undefined) return end;
    }
  }
  return undefined;
}

function taken<State, End>({ timed }: Walking, { name, take }: NamedStep<State, End>, state: State): End {
  return timed === undefined ? take(state) : timed(name, () => take(state));
}
