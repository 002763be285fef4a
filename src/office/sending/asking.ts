/**
 * Questions whose sender waits for the answer (`bellhop ask`): who waits for whose answer now. The use-cases call it.
 * Couriers leave an awaited answer to the waiting asker, and deliver it after all if nobody confirms that it arrived.
 * It never types and stores nothing: the question and its answer are ordinary messages.
 */
import { BellhopError } from "../../core/errors.ts";
import type { Address, Message, MessageId } from "../../core/message.ts";
import type { RequestOf, ResponseOf } from "../../wire/verbs/index.ts";
import type { Accept } from "../accept/accept.ts";
import type { SenderIdentity } from "../presence/directory.ts";
import type { Ground } from "../presence/ground.ts";
import type { Queries } from "../views/queries.ts";
import { firstFound, standingOf } from "./waiting.ts";

/** An asker that was shown the answer confirms it at once; one that does not has gone. */
const ARRIVES_WITHIN_MS = 5_000;
/** An asker starts to wait for the answer right after asking. */
const COMES_WITHIN_MS = 5_000;

export interface AskingParts extends Ground {
  readonly queries: Queries;
  readonly accept: Accept;
  /** Nobody waits any more for what is in this mailbox. */
  released(mailbox: Address): void;
}

export class Asking {
  readonly #parts: AskingParts;
  /** Open questions, and how many callers wait for the answer to each. */
  readonly #open = new Map<MessageId, number>();
  /** Questions whose asker does not wait yet, with a call that ends that grace period. */
  readonly #expected = new Map<MessageId, () => void>();

  constructor(parts: AskingParts) {
    this.#parts = parts;
  }

  /** Someone waits for this answer, so it must not be typed. */
  isAwaited({ replyTo }: Pick<Message, "replyTo">): boolean {
    return replyTo !== undefined && this.#open.has(replyTo);
  }

  /** Someone waits for the answer to this message. */
  isQuestion({ id }: Pick<Message, "id">): boolean {
    return this.#open.has(id);
  }

  /** Called in the transaction that accepts the question: its prompt may be composed before the asker waits. */
  begun({ id }: Pick<Message, "id">): void {
    const { context } = this.#parts;
    const leave = this.#enter(id);
    const cancel = context.clock.after(COMES_WITHIN_MS, () => {
      this.#expected.delete(id);
      this.#left(() => context.store.read.answerTo(id), leave);
    });
    this.#expected.set(id, () => {
      cancel();
      leave();
    });
  }

  /** Before it is accepted, refuses a question to oneself, or one that would make agents wait for each other. */
  refuseInVain(to: Address, sender: SenderIdentity): void {
    const { accept, directory } = this.#parts;
    const asker = directory.ownerOf(sender.address);
    const asked = accept.reached({ to, sender }).map((mailbox) => directory.ownerOf(mailbox));
    if (asked.includes(asker)) throw asksItself(asker);
    // A person may answer in another window.
    const circle = sender.source === "agent" ? this.#waitingFor(asker, asked) : undefined;
    if (circle !== undefined) throw asksInCircle(circle);
  }

  async answer(request: RequestOf<"answer">): Promise<ResponseOf<"answer">> {
    const { context, queries } = this.#parts;
    const { id } = queries.message(request.id);
    const leave = request.take === true ? this.#come(id) : () => {};
    const answer = await this.#arrived(id, request.timeoutMs);
    if (answer === undefined || request.take !== true) leave();
    else context.clock.after(ARRIVES_WITHIN_MS, () => this.#left(() => answer, leave));
    return {
      ...standingOf(context, id),
      ...(answer === undefined ? {} : { answer: queries.shown(answer) }),
    };
  }

  /** Undefined if the time is up or nobody can answer any more. */
  async #arrived(id: MessageId, timeoutMs: number): Promise<Message | undefined> {
    const { context } = this.#parts;
    const found = await firstFound(this.#parts, id, timeoutMs, () => {
      const answer = context.store.read.answerTo(id);
      return answer ?? (this.#isHopeless(id) ? "hopeless" : undefined);
    });
    return found === "hopeless" ? undefined : (found ?? context.store.read.answerTo(id));
  }

  #isHopeless(id: MessageId): boolean {
    const { context } = this.#parts;
    if (HOPELESS.includes(standingOf(context, id).state)) return true;
    // Nobody will take a turn for it: what a turn has taken is `submitted`.
    const deliveries = context.store.read.deliveriesOf(id);
    return (
      deliveries.length > 0 &&
      deliveries.every(
        ({ state, transport, evidence }) =>
          state === "delivered" && transport === "headless" && evidence === "accepted",
      )
    );
  }

  /** The asker waits from now on, in place of the grace period. */
  #come(id: MessageId): () => void {
    const leave = this.#enter(id);
    this.#expected.get(id)?.();
    this.#expected.delete(id);
    return leave;
  }

  #enter(id: MessageId): () => void {
    this.#open.set(id, (this.#open.get(id) ?? 0) + 1);
    return () => {
      const others = (this.#open.get(id) ?? 1) - 1;
      if (others > 0) this.#open.set(id, others);
      else this.#open.delete(id);
    };
  }

  #left(answerNow: () => Message | undefined, leave: () => void): void {
    const { context, released } = this.#parts;
    leave();
    try {
      const answer = answerNow();
      if (answer === undefined) return;
      for (const { to } of context.store.read.deliveriesOf(answer.id)) released(to);
    } catch (cause) {
      // If the database cannot be read, nothing can be delivered either.
      context.log.warn("answer.unreleased", { cause: String(cause) });
    }
  }

  /** A question for which one of `asked` waits, directly or through others, for the asker. */
  #waitingFor(asker: Address, asked: readonly Address[]): Message | undefined {
    const { context, directory } = this.#parts;
    const { read } = context.store;
    const waiting = [...this.#open.keys()]
      .flatMap((id) => read.message(id) ?? [])
      .filter(({ id }) => read.answerTo(id) === undefined)
      .map((message) => ({
        message,
        by: directory.ownerOf(message.from),
        on: read.deliveriesOf(message.id).map(({ to }) => directory.ownerOf(to)),
      }));
    const reached = new Set(asked);
    // A Set's iteration includes what is added during it.
    for (const one of reached) {
      for (const { message, by, on } of waiting) {
        if (by !== one) continue;
        if (on.includes(asker)) return message;
        for (const next of on) reached.add(next);
      }
    }
    return undefined;
  }
}

const HOPELESS: readonly string[] = ["failed", "expired", "cancelled"];

function asksItself(asker: Address): BellhopError {
  return new BellhopError("request.forbidden", {
    message: `${asker} cannot ask itself: it could not answer while it waits.`,
    next: 'Ask somebody else ("bellhop ls" shows who is there), or leave yourself a note with "bellhop remind".',
  });
}

function asksInCircle({ from, shortId }: Message): BellhopError {
  return new BellhopError("request.forbidden", {
    message: `${from} is already waiting for your answer to #${shortId}: you would wait for each other.`,
    next: `Answer it first: bellhop reply ${shortId} "…". Your answer may itself be a question.`,
  });
}
