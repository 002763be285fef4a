/** What a hook proves, written down in one transaction, for whoever asks later and for the deliveries it settles. */
import { ANSWER_PRINTED, DELEGATED, evidenceOfSubmit, isAtLeast, SENT } from "../../core/evidence.ts";
import {
  type Evidence,
  type Instant,
  LIMITS,
  type MessageId,
  type Receipt,
  type SessionId,
} from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { isElsewhere } from "../../core/session.ts";
import { PROMPT_MIXED, SENT_WITH_OTHER_TEXT } from "../../core/text/whole-prompt.ts";
import type { HookEvent } from "../../ports/program.ts";
import type { Item, StoreWriter } from "../../ports/store.ts";
import type { OfficeContext } from "../base/context.ts";
import { recordTurnEnd } from "../delivery/ledger.ts";
import { submissionOf } from "../delivery/settlement.ts";
import type { Submitted } from "../typing/evidence-desk.ts";
import { PRINTED_ONLY } from "../typing/transports/hook.ts";

/** Deliveries that a session may have open at once, with a margin. */
export const RECENT = LIMITS.batch + 100;

export interface HookRecordsParts {
  readonly context: OfficeContext;
  /** They were sent together with text that is not ours. */
  onMixed(sessionId: SessionId, items: readonly Item[]): void;
}

export class HookRecords {
  readonly #parts: HookRecordsParts;

  constructor(parts: HookRecordsParts) {
    this.#parts = parts;
  }

  /** Returns the messages whose state changed. */
  async keep(
    sessionId: SessionId,
    event: HookEvent,
    submitted: Submitted,
    fenced: boolean,
  ): Promise<readonly MessageId[]> {
    const { context } = this.#parts;
    const now = context.clock.now();
    const changed: MessageId[] = [];
    const mixed: Item[] = [];
    await context.store.write((tx) => {
      mixed.length = 0;
      const told = {
        sessionId,
        emittedAt: event.emittedAt,
        receivedAt: now,
        ...present({ subAgent: event.subAgent?.id, conversation: event.conversation }),
      };
      const printed = event.printed === undefined ? undefined : this.#printed(tx, sessionId, event.printed);
      tx.appendHookEvent({
        ...told,
        event: printed !== undefined ? ANSWER_PRINTED : fenced ? "prompt-fenced" : nameOf(event),
        tokens: printed === undefined ? submitted.tokens : printed.tokens,
        ...present({ promptDigest: submitted.promptDigest }),
      });
      changed.push(...(printed?.late ?? []));
      if (event.subAgent !== undefined || fenced) return;
      if (submitted.mixed.length > 0) {
        tx.appendHookEvent({ ...told, event: PROMPT_MIXED, tokens: submitted.mixed });
        mixed.push(...this.#noteMixed(tx, sessionId, submitted));
      }
      if (event.turn === "prompt-submitted") changed.push(...this.#prove(tx, sessionId, submitted));
      if (event.turn === "turn-ended") changed.push(...this.#endTurn(tx, sessionId, event));
    });
    if (mixed.length > 0) this.#parts.onMixed(sessionId, mixed);
    return [...changed, ...mixed.map(({ message }) => message.id)];
  }

  /** It came late, when it was no longer awaited. One in flight is recorded by its courier. */
  #noteMixed(tx: StoreWriter, sessionId: SessionId, { mixed }: Submitted): readonly Item[] {
    const items = tx
      .attemptedIn(sessionId, ["unconfirmed"], RECENT)
      .filter(({ delivery }) => delivery.attempt !== undefined && mixed.includes(delivery.attempt.token))
      .filter(
        ({ delivery }) => !tx.receiptsOf(delivery.id).some(({ note }) => note === SENT_WITH_OTHER_TEXT),
      );
    const at = this.#parts.context.clock.now();
    for (const { delivery } of items)
      tx.appendReceipt(delivery.id, { at, state: "unconfirmed", note: SENT_WITH_OTHER_TEXT });
    return items;
  }

  /** Late or stronger proof. One in flight is recorded by its courier. */
  #prove(tx: StoreWriter, sessionId: SessionId, submitted: Submitted): readonly MessageId[] {
    const items = tx
      .attemptedIn(sessionId, ["unconfirmed", "delivered"], RECENT)
      .filter((item) => matches(item, submitted));
    for (const { delivery } of items) {
      const evidence: Evidence = evidenceOfSubmit(delivery.attempt?.transport ?? "paste", false);
      if (delivery.evidence !== undefined && isAtLeast(delivery.evidence, evidence)) continue;
      const note = delivery.state === "unconfirmed" ? "late evidence" : undefined;
      const receipt: Receipt = {
        at: this.#parts.context.clock.now(),
        state: "delivered",
        evidence,
        ...present({ transport: delivery.transport, note }),
      };
      tx.moveDelivery(delivery.id, receipt, { evidence });
    }
    return items.map(({ message }) => message.id);
  }

  /**
   * A hook's answer is printed. If nobody waits for that any more, it is late proof; a report that comes twice, such as
   * by the spool too, proves no more than the first.
   */
  #printed(tx: StoreWriter, sessionId: SessionId, code: string) {
    const items = tx
      .attemptedIn(sessionId, SENT, RECENT)
      .filter(({ delivery }) => delivery.attempt?.answer === code);
    const isKnown = ({ delivery }: Item) =>
      tx.receiptsOf(delivery.id).some(({ note }) => note === PRINTED_ONLY);
    const late = items.filter((item) => item.delivery.state === "unconfirmed" && !isKnown(item));
    for (const { delivery } of late) {
      const proof = { evidence: "accepted" } as const;
      const at = this.#parts.context.clock.now();
      tx.moveDelivery(delivery.id, { at, state: "delivered", ...proof, note: "late evidence" }, proof);
    }
    return {
      tokens: [...new Set(items.flatMap(({ delivery }) => delivery.attempt?.token ?? []))],
      late: late.map(({ message }) => message.id),
    };
  }

  #endTurn(tx: StoreWriter, sessionId: SessionId, ended: HookEvent): readonly MessageId[] {
    const { emittedAt, turnOf } = ended;
    const isOfTurn = turnOf === undefined ? () => true : ofLastPrompt(tx, sessionId, emittedAt);
    const read = tx.attemptedIn(sessionId, ["delivered"], RECENT).filter((item) => {
      const { evidence, attempt } = item.delivery;
      const inThisTurn = evidence === "submitted" || evidence === "transcript";
      return inThisTurn && attempt !== undefined && attempt.startedAt < emittedAt && isOfTurn(item);
    });
    const over = inItsConversation(tx, sessionId, ended, read);
    const at = this.#parts.context.clock.now();
    for (const item of over) recordTurnEnd(tx, item, { at, note: "the agent has ended its turn" });
    return over.map(({ message }) => message.id);
  }
}

function nameOf({ turn, delegates, name }: HookEvent): string {
  return turn ?? (delegates ? DELEGATED : name);
}

interface SubmittedPrompt {
  readonly tokens: readonly string[];
  readonly promptDigest?: string | undefined;
}

/** The end of one conversation's turn says nothing of a message in another one of the same window. */
function inItsConversation(
  tx: StoreWriter,
  sessionId: SessionId,
  ended: HookEvent,
  items: readonly Item[],
): readonly Item[] {
  const starts = items.flatMap(({ delivery: { attempt } }) => attempt?.startedAt ?? []);
  if (ended.conversation === undefined || starts.length === 0) return items;
  // Read once, however many they are.
  const reported = tx.hookEvents(sessionId, Math.min(...starts));
  return items.filter(({ delivery: { attempt } }) => {
    if (attempt === undefined) return false;
    const since = reported.filter(({ receivedAt }) => receivedAt >= attempt.startedAt);
    const prompt = submissionOf(attempt, since);
    if (ended.hidden === true) return prompt?.conversation === ended.conversation;
    return prompt === undefined || !isElsewhere(prompt, ended);
  });
}

/** Whether it was in the prompt that was submitted last by then. */
function ofLastPrompt(tx: StoreWriter, sessionId: SessionId, by: Instant): (item: Item) => boolean {
  const last = tx.lastPrompt(sessionId, by);
  // What a hook added came after it.
  const isAdded = ({ delivery: { attempt } }: Item, since: Instant) =>
    attempt?.transport === "hook" && attempt.startedAt >= since;
  return (item) => last !== undefined && (matches(item, last) || isAdded(item, last.emittedAt));
}

function matches({ delivery }: Item, submitted: SubmittedPrompt): boolean {
  const { attempt } = delivery;
  return (
    attempt !== undefined &&
    (submitted.tokens.includes(attempt.token) || attempt.promptDigest === submitted.promptDigest)
  );
}
