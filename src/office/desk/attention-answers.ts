/**
 * The person answers from the list of what wants them, at any terminal: a permission, as they could from a phone. The
 * first answer wins, wherever it was given; each is a message in the history.
 */
import type { Attention } from "../../core/attention.ts";
import type { DialogAnswer, DialogKeys } from "../../core/desk/dialog-answers.ts";
import { bareAnswerOf } from "../../core/desk/reply-text.ts";
import { BellhopError } from "../../core/errors.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { ShownAttention } from "../../wire/shapes/attention.ts";
import type { SendResponse } from "../../wire/shapes/messages.ts";
import type { RequestOf } from "../../wire/verbs/index.ts";
import type { Accept } from "../accept/accept.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import type { AttentionDesk } from "../views/attention.ts";
import { sentDelivery } from "../views/shown.ts";
import { AnsweredBefore, answerable, press } from "./dialogs.ts";
import type { Paging } from "./paging.ts";

export interface AttentionAnswersParts extends Ground {
  readonly accept: Accept;
  readonly attention: AttentionDesk;
  readonly paging: Paging;
}

const ANSWERS: readonly DialogAnswer[] = ["approve", "deny"];

export class AttentionAnswers {
  readonly #parts: AttentionAnswersParts;

  constructor(parts: AttentionAnswersParts) {
    this.#parts = parts;
  }

  /** With what each can be answered, and where the person was told of it. */
  async list(): Promise<readonly ShownAttention[]> {
    const { attention, directory } = this.#parts;
    await Promise.all(directory.all().map((session) => session.glance()));
    return Promise.all(attention.list().map((one) => this.shown(one)));
  }

  async shown(one: Attention): Promise<ShownAttention> {
    const toldOn = this.#parts.paging.toldOn(one.id);
    const keys = one.kind === "permission" ? (await this.#asked(one))?.keys : undefined;
    return {
      ...one,
      ...(keys === undefined ? {} : { answers: ANSWERS }),
      ...(toldOn.length === 0 ? {} : { toldOn }),
    };
  }

  async answer({ id, answer: word, claims }: RequestOf<"attention_answer">): Promise<SendResponse> {
    const { context, directory, paging } = this.#parts;
    const answer = bareAnswerOf(word);
    const one = this.#named(id);
    if (one.kind !== "permission") throw notHere(id, `is a ${one.kind}, which is not answered with a word`);
    const asked = await this.#asked(one);
    if (asked === undefined) throw closed(id);
    if (asked.keys === undefined)
      throw notHere(id, "cannot be seen whole, or does not say which key is which");
    if (answer === undefined)
      throw new BellhopError("usage.invalid", {
        message: `"${sanitiseLine(word, 40)}" is none of its answers.`,
        next: `Answer with ${ANSWERS.join(" or ")}.`,
      });
    try {
      const { message, deliveries } = await press(this.#parts, {
        ...asked,
        answer,
        keys: asked.keys[answer],
        sender: directory.sender(claims, undefined),
        priority: context.settings().defaultPriority,
        from: "attention",
      });
      paging.answering(asked.session, message.id);
      const { id: messageId, shortId } = message;
      const told = deliveries.map((delivery) => sentDelivery(delivery, message));
      return { messageId, shortId, unmatched: false, deliveries: told };
    } catch (error) {
      throw error instanceof AnsweredBefore ? closed(id) : error;
    }
  }

  /** Undefined if it no longer asks that. */
  async #asked({
    id,
    session: sessionId,
  }: Attention): Promise<{ session: LiveSession; dialog: string; keys: DialogKeys | undefined } | undefined> {
    const { attention, directory } = this.#parts;
    const session = sessionId === null ? undefined : directory.get(sessionId);
    if (session === undefined) return undefined;
    const observation = await session.glance();
    const { asks } = session;
    if (asks === undefined || attention.idOf(session, asks.key) !== id) return undefined;
    const { reading } = observation;
    const dialog = reading.kind === "dialog" ? reading.fingerprint : "";
    return { session, dialog, keys: answerable(session, observation) };
  }

  /** By its id, or the beginning of one. */
  #named(id: string): ShownAttention {
    const all = this.#parts.attention.list();
    const exact = all.find((one) => one.id === id);
    const found = exact === undefined ? all.filter((one) => one.id.startsWith(id)) : [exact];
    const [only, other] = found;
    if (only !== undefined && other === undefined) return only;
    throw new BellhopError(only === undefined ? "attention.unknown" : "recipient.ambiguous", {
      message:
        only === undefined
          ? `Nothing that wants you has the id "${sanitiseLine(id, 64)}": it may have been answered.`
          : `"${sanitiseLine(id, 64)}" could be any of: ${found.map((one) => one.id).join(", ")}.`,
      next: 'See what wants you with "bellhop attention".',
    });
  }
}

function closed(id: string): BellhopError {
  return new BellhopError("attention.closed", {
    message: `"${sanitiseLine(id, 64)}" was answered already. Nothing was pressed.`,
    next: 'See what wants you now with "bellhop attention".',
  });
}

function notHere(id: string, why: string): BellhopError {
  return new BellhopError("attention.closed", {
    message: `"${sanitiseLine(id, 64)}" ${why}. Nothing was pressed.`,
    next: 'See what to do about it with "bellhop attention".',
  });
}
