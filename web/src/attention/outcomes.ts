/**
 * What became of an answer. A card that was answered stays a moment and says so, in its place, also if it is no longer on
 * the board. Pure.
 *
 *   (none) ─▶ asking ─▶ sent ─▶ (gone, or still asked after a while) (none)
 *                  ├──▶ over ─▶ (gone) (none)
 *                  └──▶ refused ─▶ asking
 */
import { ATTENTION_KINDS } from "../../../src/core/attention.ts";
import type { ShownAttention } from "../../../src/wire/shapes/attention.ts";
import type { Told } from "../connection/requests.ts";

/** How long a card says how it ended. */
export const LINGERS_MS = 4_000;
/** The daemon tries for a minute: a dialog that is open for longer was not answered, and can be again. */
export const TAKEN_BACK_MS = 70_000;

export type Outcome =
  | { readonly at: "asking" }
  | { readonly at: "sent" | "over"; readonly text: string; readonly since: number }
  | { readonly at: "refused"; readonly error: Told };

export interface Answered {
  readonly card: ShownAttention;
  readonly outcome: Outcome;
}
export type Outcomes = ReadonlyMap<string, Answered>;

/** Somebody else was faster, or it is no longer asked. */
const OVER: readonly string[] = ["attention.closed", "attention.unknown", "message.unknown"];

export function outcomeOf(error: Told, now: number): Outcome {
  if (!OVER.includes(error.code)) return { at: "refused", error };
  return { at: "over", text: error.message, since: now };
}

export function withOutcome(before: Outcomes, card: ShownAttention, outcome: Outcome): Outcomes {
  return new Map([...before, [card.id, { card, outcome }]]);
}

/** Without those that have been told for long enough. */
export function pruned(before: Outcomes, listed: readonly ShownAttention[], now: number): Outcomes {
  const there = new Set(listed.map(({ id }) => id));
  return new Map([...before].filter(([id, { outcome }]) => lastsUntil(outcome, there.has(id)) > now));
}

/** When the next of them is to be forgotten; undefined if there is none. */
export function nextPruneAt(all: Outcomes, listed: readonly ShownAttention[]): number | undefined {
  const there = new Set(listed.map(({ id }) => id));
  const ends = [...all].map(([id, { outcome }]) => lastsUntil(outcome, there.has(id)));
  const next = Math.min(...ends, Number.POSITIVE_INFINITY);
  return next === Number.POSITIVE_INFINITY ? undefined : next;
}

function lastsUntil(outcome: Outcome, isListed: boolean): number {
  switch (outcome.at) {
    case "asking":
      return Number.POSITIVE_INFINITY;
    case "refused":
      return isListed ? Number.POSITIVE_INFINITY : 0;
    case "sent":
      return outcome.since + (isListed ? TAKEN_BACK_MS : LINGERS_MS);
    default:
      return outcome.since + LINGERS_MS;
  }
}

/** Those on the board and those that say how they ended, in the board's order: by kind, the oldest first. */
export function shownCards(listed: readonly ShownAttention[], all: Outcomes): readonly ShownAttention[] {
  const there = new Set(listed.map(({ id }) => id));
  const ended = [...all].filter(([id]) => !there.has(id)).map(([, { card }]) => card);
  if (ended.length === 0) return listed;
  const rank = ({ kind }: ShownAttention) => ATTENTION_KINDS.indexOf(kind);
  return [...listed, ...ended].sort((one, other) => rank(one) - rank(other) || one.since - other.since);
}
