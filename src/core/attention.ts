/** What needs the person, collected from known facts and put into words. Pure: the office knows where to look. */

import type { AgentName, Instant, SessionId } from "./message.ts";
import type { Asked } from "./readiness/question.ts";
import { isLoopReason } from "./routing/loop-breaker.ts";
import { sanitiseLine } from "./text/sanitise.ts";

/** In display order: first those that can do nothing until the person has looked. */
export const ATTENTION_KINDS = [
  "permission",
  "question",
  "turn-end",
  "unconfirmed",
  "loop",
  "budget",
  "dead-letter",
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

export interface Attention {
  readonly id: string;
  readonly kind: AttentionKind;
  /** The agent it is about; for a dead letter, its sender. */
  readonly agent: AgentName | null;
  readonly session: SessionId | null;
  readonly since: Instant;
  readonly text: string;
}

export interface AttentionFacts {
  readonly asking: readonly {
    readonly id: string;
    readonly agent: AgentName;
    readonly session: SessionId;
    readonly since: Instant;
    readonly asked: Asked;
  }[];
  /** Turns that ended while the person was away, with what the agent said last. */
  readonly finished: readonly {
    readonly id: string;
    readonly agent: AgentName;
    readonly session: SessionId;
    readonly since: Instant;
    readonly said?: string | undefined;
  }[];
  readonly unconfirmed: readonly {
    readonly id: string;
    readonly shortId: string;
    readonly agent: AgentName;
    readonly session?: SessionId | undefined;
    readonly since: Instant;
  }[];
  /** Sessions whose turns wait for their budget. */
  readonly overBudget: readonly {
    readonly agent: AgentName;
    readonly session: SessionId;
    readonly since: Instant;
    readonly messages: number;
    /** What would release them. */
    readonly release: string;
  }[];
  readonly deadLetters: readonly {
    readonly shortId: string;
    readonly from: string;
    readonly to: string;
    readonly reason: string;
    readonly since: Instant;
  }[];
}

/** Grouped by kind, longest waiting first. */
export function attentionFrom(facts: AttentionFacts): readonly Attention[] {
  const { asking, finished, unconfirmed, overBudget, deadLetters } = facts;
  const all: readonly Attention[] = [
    ...asking.map(({ asked, ...who }) => ({ ...who, kind: asked.kind, text: asked.text })),
    ...finished.map(({ said, ...who }) => ({
      ...who,
      kind: "turn-end" as const,
      text: said === undefined ? "has finished" : sanitiseLine(`has finished: ${said}`, 300),
    })),
    ...unconfirmed.map(({ id, shortId, agent, session, since }) => ({
      id,
      kind: "unconfirmed" as const,
      agent,
      session: session ?? null,
      since,
      text: `nothing shows that #${shortId} arrived: bellhop show ${shortId}`,
    })),
    ...overBudget.map(({ messages, release, ...who }) => ({
      ...who,
      id: `${who.session}.budget`,
      kind: "budget" as const,
      text: `${messages === 1 ? "a message waits" : `${messages} messages wait`}: ${release}`,
    })),
    ...deadLetters.map((letter) => ({
      id: letter.shortId,
      kind: isLoopReason(letter.reason) ? ("loop" as const) : ("dead-letter" as const),
      agent: letter.from.startsWith("agent/") ? letter.from.slice("agent/".length) : null,
      session: null,
      since: letter.since,
      text: sanitiseLine(`#${letter.shortId} from ${letter.from} to ${letter.to}: ${letter.reason}`, 300),
    })),
  ];
  return all.toSorted((a, b) => rank(a) - rank(b) || a.since - b.since);
}

function rank({ kind }: Attention): number {
  return ATTENTION_KINDS.indexOf(kind);
}

export type AttentionCounts = Readonly<Partial<Record<AttentionKind, number>>>;

export function countedByKind(all: readonly Attention[]): AttentionCounts {
  const counts: Partial<Record<AttentionKind, number>> = {};
  for (const { kind } of all) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

const NAMES: Readonly<Record<AttentionKind, readonly [one: string, many: string]>> = {
  permission: ["permission", "permissions"],
  question: ["question", "questions"],
  "turn-end": ["finished turn", "finished turns"],
  unconfirmed: ["unconfirmed message", "unconfirmed messages"],
  loop: ["stopped loop", "stopped loops"],
  budget: ["spent budget", "spent budgets"],
  "dead-letter": ["dead letter", "dead letters"],
};

/** `1 permission, 2 dead letters`; empty if there is nothing. */
export function countsInWords(counts: AttentionCounts): string {
  return ATTENTION_KINDS.flatMap((kind) => {
    const count = counts[kind] ?? 0;
    return count === 0 ? [] : [`${count} ${NAMES[kind][count === 1 ? 0 : 1]}`];
  }).join(", ");
}
