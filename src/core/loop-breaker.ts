/**
 * Stops agents that answer one another for ever. Counted is only what an agent sends in answer to an answer, never
 * persons, scripts or bridges: twenty questions may have twenty answers.
 */
import { type Address, type Instant, LIMITS, type Source } from "./message.ts";

export const LOOP_LIMITS = {
  hops: LIMITS.hops,
  /** A first message has none and its answer one: from here on it goes back and forth. */
  countedFromHop: 2,
  windowMs: 60_000,
  perPair: 10,
  perSelf: 3,
  /** The same words, one way, within the window. */
  perBody: 2,
  /** Pairs that are remembered; who was silent longest is forgotten first. */
  pairs: 1_024,
} as const;

interface Passed {
  readonly at: Instant;
  readonly bodyDigest: string;
}

/** What passed within the window, by pair; who spoke last stands last. What was stopped is not counted. */
export type LoopState = ReadonlyMap<string, readonly Passed[]>;

export const NO_LOOPS: LoopState = new Map();

export interface LoopMessage {
  /** Agents, as addresses; a session counts as its agent. */
  readonly from: Address;
  readonly to: Address;
  readonly hops: number;
  readonly bodyDigest: string;
  readonly source: Source;
  readonly now: Instant;
}

export type LoopVerdict = { readonly kind: "pass" } | { readonly kind: "stop"; readonly reason: LoopReason };
export type LoopReason = "hops" | "pair" | "self" | "body";

/** For the dead letter and the report. */
export const LOOP_REASONS: Readonly<Record<LoopReason, string>> = {
  hops: `a loop: agents have answered one another more than ${LOOP_LIMITS.hops} times`,
  pair: `a loop: more than ${LOOP_LIMITS.perPair} answers a minute from one agent to another`,
  self: `a loop: more than ${LOOP_LIMITS.perSelf} answers a minute from an agent to itself`,
  body: `a loop: the same answer more than ${LOOP_LIMITS.perBody} times a minute`,
};

export function loopStep(state: LoopState, message: LoopMessage): readonly [LoopState, LoopVerdict] {
  const { from, to, bodyDigest, now } = message;
  if (message.source !== "agent" || message.hops < LOOP_LIMITS.countedFromHop) {
    return [state, { kind: "pass" }];
  }
  const pair = `${from}\n${to}`;
  const passed = (state.get(pair) ?? []).filter((earlier) => isRecent(earlier, now));
  const reason = faultOf(message, passed);
  if (reason !== undefined) return [state, { kind: "stop", reason }];
  const others = [...state].filter(([key, all]) => key !== pair && all.some((one) => isRecent(one, now)));
  const kept = others.slice(-(LOOP_LIMITS.pairs - 1));
  return [new Map([...kept, [pair, [...passed, { at: now, bodyDigest }]]]), { kind: "pass" }];
}

function faultOf(message: LoopMessage, passed: readonly Passed[]): LoopReason | undefined {
  const { from, to, hops, bodyDigest } = message;
  if (hops > LOOP_LIMITS.hops) return "hops";
  if (from === to && passed.length >= LOOP_LIMITS.perSelf) return "self";
  if (passed.length >= LOOP_LIMITS.perPair) return "pair";
  const same = passed.filter((earlier) => earlier.bodyDigest === bodyDigest);
  return same.length >= LOOP_LIMITS.perBody ? "body" : undefined;
}

/** What lies ahead was before the clock was set back; it would count for as long as the clock was off. */
function isRecent({ at }: Passed, now: Instant): boolean {
  return at <= now && now - at < LOOP_LIMITS.windowMs;
}
