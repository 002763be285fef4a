/** What a headless turn is given to read, and what the small model is asked. It sends nothing. */
import { composeForTurn } from "../../core/text/prompt.ts";
import { triagePrompt } from "../../core/turns/triage.ts";
import type { Item } from "../../ports/store.ts";
import type { Ground } from "../presence/ground.ts";
import { promptItems } from "../typing/compose.ts";
import type { Seat } from "./who.ts";

const LAST_SAID = 6;
const AGAIN =
  "[bellhop] The turn before this one was interrupted: it may have done a part of this already. Look before you repeat it.";

export function turnPrompt(ground: Ground, items: readonly Item[], again: boolean): string {
  const prompt = composeForTurn(promptItems({ items }, { ...ground, isQuestion: () => false }));
  return again ? `${AGAIN}\n\n${prompt}` : prompt;
}

export function triageQuestion(ground: Ground, { session, autoRun }: Seat, items: readonly Item[]): string {
  const said = ground.context.store.read.loggedTurns(session.id, { limit: LAST_SAID });
  return triagePrompt({
    agent: session.agent,
    role: autoRun.role,
    context: said.toReversed().map(({ text }) => text),
    messages: items.map(({ message }) => ({ from: message.from, body: message.body })),
  });
}
