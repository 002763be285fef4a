/**
 * Stops agents that keep answering each other. Counts only what an agent sends in answer to an answer, never persons,
 * scripts or bridges: twenty questions may have twenty answers.
 */
import { hostOfSpeaker } from "../cluster/speakers.ts";
import type { Address, Instant, Source } from "../message.ts";

/** What the owner may set. */
export interface LoopLimits {
  /** Answers to answers in a row. */
  readonly hops: number;
  /** From one agent to another. */
  readonly perMinute: number;
  /** The same text in one direction within a minute. */
  readonly sameBody: number;
}

export const STANDARD_LOOP_LIMITS: LoopLimits = { hops: 50, perMinute: 10, sameBody: 3 };

export const LOOP_LIMITS = {
  /** A first message has 0 and its answer 1; from here on it goes back and forth. */
  countedFromHop: 2,
  windowMs: 60_000,
  perSelf: 3,
  /** So many times the answers of a minute may come at once, if their host says that they are older. */
  backlog: 50,
  /** Remembered pairs; the one silent for longest is dropped first. */
  pairs: 1_024,
} as const;

interface Passed {
  readonly at: Instant;
  readonly came: Instant;
  readonly bodyDigest: string;
}

/** Messages within the window, by pair; the last active pair is last. Stopped messages are not counted. */
export type LoopState = ReadonlyMap<string, readonly Passed[]>;

export const NO_LOOPS: LoopState = new Map();

export interface LoopMessage {
  /** Addresses of agents; a session counts as its agent. */
  readonly from: Address;
  readonly to: Address;
  readonly hops: number;
  readonly bodyDigest: string;
  readonly source: Source;
  readonly now: Instant;
  /** How long ago it was written, as its host says: what had to wait comes all at once, and is no loop for that. */
  readonly agoMs?: number;
}

export type LoopVerdict = { readonly kind: "pass" } | { readonly kind: "stop"; readonly reason: LoopReason };
export type LoopReason = "hops" | "pair" | "self" | "body";

const BEGINNING = "a loop: ";

/** For the dead letter and the report. */
export function loopReason(reason: LoopReason, limits: LoopLimits): string {
  const reasons: Readonly<Record<LoopReason, string>> = {
    hops: `agents have answered one another more than ${limits.hops} times`,
    pair: `more than ${limits.perMinute} answers a minute from one agent to another`,
    self: `more than ${LOOP_LIMITS.perSelf} answers a minute from an agent to itself`,
    body: `the same answer more than ${limits.sameBody} times a minute`,
  };
  return BEGINNING + reasons[reason];
}

/** Whatever the limits were when it was stopped. */
export function isLoopReason(reason: string): boolean {
  return reason.startsWith(BEGINNING);
}

export function loopStep(
  state: LoopState,
  message: LoopMessage,
  limits: LoopLimits,
): readonly [LoopState, LoopVerdict] {
  const { from, to, bodyDigest, now, agoMs = 0 } = message;
  if (!isCounted(message) || message.hops < LOOP_LIMITS.countedFromHop) {
    return [state, { kind: "pass" }];
  }
  const pair = `${from}\n${to}`;
  const passed = (state.get(pair) ?? []).filter((earlier) => isRecent(earlier, now));
  const reason = faultOf(message, passed, limits);
  if (reason !== undefined) return [state, { kind: "stop", reason }];
  const others = [...state].filter(([key, all]) => key !== pair && all.some((one) => isRecent(one, now)));
  const kept = others.slice(-(LOOP_LIMITS.pairs - 1));
  return [
    new Map([...kept, [pair, [...passed, { at: now - agoMs, came: now, bodyDigest }]]]),
    { kind: "pass" },
  ];
}

/** This host's Bellhop makes no loops; of another one, nobody knows what it is. */
export function isCounted({ source, from }: Pick<LoopMessage, "source" | "from">): boolean {
  return source === "agent" || (source === "bellhop" && hostOfSpeaker(from) !== undefined);
}

function faultOf(
  message: LoopMessage,
  passed: readonly Passed[],
  limits: LoopLimits,
): LoopReason | undefined {
  const { from, to, hops, bodyDigest, now, agoMs = 0 } = message;
  if (hops > limits.hops) return "hops";
  // Whatever a host says of when they were written.
  if (passed.length >= limits.perMinute * LOOP_LIMITS.backlog) return "pair";
  const written = now - agoMs;
  const near = passed.filter(({ at }) => at <= written && written - at < LOOP_LIMITS.windowMs);
  if (from === to && near.length >= LOOP_LIMITS.perSelf) return "self";
  if (near.length >= limits.perMinute) return "pair";
  const same = near.filter((earlier) => earlier.bodyDigest === bodyDigest);
  return same.length >= limits.sameBody ? "body" : undefined;
}

/** A time in the future is from before the clock was set back; it would count for as long as the clock was off. */
function isRecent({ came }: Passed, now: Instant): boolean {
  return came <= now && now - came < LOOP_LIMITS.windowMs;
}
