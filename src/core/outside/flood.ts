/** How much one person may bring in at one place: more is kept as dead letters, and they are told so once. */
import type { Instant } from "../message.ts";
import { present } from "../present.ts";

export const FLOOD_LIMITS = { windowMs: 60_000, arrivals: 60, speakers: 1_000 } as const;

interface Heard {
  readonly at: readonly Instant[];
  /** When something was too much, the last time. */
  readonly stoppedAt?: Instant;
}

/** When each was heard, within the window; the last active one is last. */
export type FloodState = ReadonlyMap<string, Heard>;

/** `begins`: the first that is too much, until nothing has been for a whole window. */
export function floodStep(
  state: FloodState,
  speaker: string,
  now: Instant,
): readonly [FloodState, "pass" | "begins" | "stop"] {
  const { at = [], stoppedAt } = state.get(speaker) ?? {};
  const isRecent = (then: Instant) => then <= now && now - then < FLOOD_LIMITS.windowMs;
  const recent = at.filter(isRecent);
  const others = [...state].filter(([one]) => one !== speaker).slice(-(FLOOD_LIMITS.speakers - 1));
  const becomes = (heard: Heard): FloodState => new Map([...others, [speaker, heard]]);
  if (recent.length < FLOOD_LIMITS.arrivals)
    return [becomes({ at: [...recent, now], ...present({ stoppedAt }) }), "pass"];
  const goesOn = stoppedAt !== undefined && isRecent(stoppedAt);
  return [becomes({ at: recent, stoppedAt: now }), goesOn ? "stop" : "begins"];
}
