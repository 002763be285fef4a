/** The person's answers to cards, and what became of them. */
import { computed, effect, signal } from "@preact/signals";
import type { ShownAttention } from "../../../src/wire/shapes/attention.ts";
import { attention, isLive } from "../board/store.ts";
import { type Asked, ask, segment } from "../connection/requests.ts";
import { TEXT } from "../strings.ts";
import {
  nextPruneAt,
  type Outcome,
  type Outcomes,
  outcomeOf,
  pruned,
  shownCards,
  withOutcome,
} from "./outcomes.ts";
import { isInert, type Places } from "./settling.ts";

const outcomes = signal<Outcomes>(new Map());
/** Where each card is, as last drawn. */
export const places = signal<Places>(new Map());

export const cards = computed(() => shownCards(attention.value, outcomes.value));

export function outcomeFor(id: string): Outcome | undefined {
  return outcomes.value.get(id)?.outcome;
}

export type Word = "approve" | "deny";

/** Only if it is certain that the person means this very card. */
export function canAnswer({ id, answers = [] }: ShownAttention, word: Word): boolean {
  const at = outcomes.peek().get(id)?.outcome.at;
  const isFree = at === undefined || at === "refused";
  return isLive.peek() && isFree && answers.includes(word) && !isInert(places.peek(), id, performance.now());
}

export async function answer(card: ShownAttention, word: Word): Promise<void> {
  if (!canAnswer(card, word)) return;
  const asked: Asked = {
    method: "POST",
    path: `/attention/${segment(card.id)}/answer`,
    body: { answer: word },
  };
  await settleBy(card, asked, () => (word === "approve" ? TEXT.attention.approved : TEXT.attention.denied));
}

export async function reroute(card: ShownAttention): Promise<void> {
  const asked: Asked = { method: "POST", path: `/unmatched/${segment(card.id)}/reroute` };
  await settleBy<{ readonly rerouted: number }>(card, asked, ({ rerouted }) =>
    rerouted > 0 ? TEXT.attention.rerouted : TEXT.attention.stillNobody,
  );
}

export async function runNow(card: ShownAttention): Promise<void> {
  const { agent, session } = card;
  if (agent === null) return;
  const body = session === null ? {} : { session };
  const asked: Asked = { method: "POST", path: `/agents/${segment(agent)}/turns`, body };
  await settleBy(card, asked, () => TEXT.attention.running);
}

async function settleBy<Body>(
  card: ShownAttention,
  asked: Asked,
  words: (body: Body) => string,
): Promise<void> {
  if (!isLive.peek()) return;
  become(card, { at: "asking" });
  const answered = await ask<Body>(asked);
  const since = performance.now();
  become(
    card,
    answered.kind === "done"
      ? { at: "sent", text: words(answered.body), since }
      : outcomeOf(answered.error, since),
  );
}

function become(card: ShownAttention, outcome: Outcome): void {
  outcomes.value = withOutcome(outcomes.value, card, outcome);
}

/** Forgets what has been told for long enough. */
export function startForgetting(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    clearTimeout(timer);
    const at = nextPruneAt(outcomes.value, attention.value);
    if (at === undefined) return;
    const forget = () => {
      outcomes.value = pruned(outcomes.peek(), attention.peek(), performance.now());
    };
    timer = setTimeout(forget, Math.max(0, at - performance.now()) + 1);
  });
}
