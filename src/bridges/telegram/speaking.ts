/** Says messages, part by part: in the conversation that they answer, or in the topic of the agent who speaks. */
import type { Api } from "grammy";
import { splitText } from "../../core/text/split-text.ts";
import type { Button, Saying, SayingContext, SayingOutcome } from "../../ports/bridge.ts";
import { type CallFailure, callFailure } from "./call-failure.ts";
import { botSignal } from "./connection.ts";
import type { Topics } from "./topics.ts";

/** Telegram allows 4,096; what is left is for the mark of a repeat. */
const LONGEST_PART = 4_000;
const REPEAT_MARK = "(perhaps a repeat) ";
/** More buttons, or longer ones, stand below each other. */
const BESIDE_EACH_OTHER = { buttons: 3, characters: 16 } as const;
const CHAT = /^telegram\/(-?[1-9]\d{0,15})$/;
const MESSAGE = /^(-?[1-9]\d{0,15})\/([1-9]\d{0,15})$/;

export function chatOf(path: string): string | undefined {
  return CHAT.exec(path)?.[1];
}

export class Speaker {
  readonly #api: Api;
  readonly #topics: Topics;

  constructor(api: Api, topics: Topics) {
    this.#api = api;
    this.#topics = topics;
  }

  async say(saying: Saying, context: SayingContext): Promise<SayingOutcome> {
    const chat = chatOf(saying.path);
    if (chat === undefined) return { kind: "refused", why: `"${saying.path}" is no chat of Telegram` };
    const parts = splitText(saying.text, LONGEST_PART);
    for (const [index, part] of parts.entries()) {
      if (index < saying.partsSaid) continue;
      const isRepeat = saying.perhapsSaid && index === saying.partsSaid;
      const message = {
        text: isRepeat ? REPEAT_MARK + part : part,
        ...(index === 0 ? answerTo(saying, chat) : {}),
        ...(index === parts.length - 1 ? keyboardOf(saying.buttons ?? []) : {}),
      };
      let id: number;
      try {
        id = await this.#send(chat, saying, message, context.signal);
      } catch (error) {
        return outcomeOf(callFailure(error));
      }
      await context.said(`${chat}/${id}`);
    }
    return { kind: "said" };
  }

  async #send(chat: string, saying: Saying, message: OutgoingMessage, signal: AbortSignal): Promise<number> {
    const thread = Number(saying.thread ?? 0);
    if (thread > 0) {
      try {
        return await this.#sendTo(chat, thread, message, signal);
      } catch (error) {
        if (!isTopicGone(error)) throw error;
      }
    } else if (message.reply_parameters !== undefined || saying.answers !== undefined) {
      return this.#sendTo(chat, undefined, message, signal);
    }
    return this.#sendToOwnTopic(chat, saying.agent, message, signal);
  }

  async #sendToOwnTopic(
    chat: string,
    agent: string | undefined,
    message: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<number> {
    const topicNow = async () =>
      agent === undefined ? undefined : this.#topics.topicOf(chat, agent, signal);
    const topic = await topicNow();
    try {
      return await this.#sendTo(chat, topic, message, signal);
    } catch (error) {
      if (agent === undefined || topic === undefined || !isTopicGone(error)) throw error;
      await this.#topics.forget(chat, agent, topic);
      return this.#sendTo(chat, await topicNow(), message, signal);
    }
  }

  async #sendTo(
    chat: string,
    topic: number | undefined,
    { text, ...other }: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<number> {
    const place = topic === undefined ? {} : { message_thread_id: topic };
    const options = { ...other, ...place, link_preview_options: { is_disabled: true } };
    const { message_id } = await this.#api.sendMessage(chat, text, options, botSignal(signal));
    return message_id;
  }
}

/** No parse mode: every character is meant as it stands. */
interface OutgoingMessage {
  readonly text: string;
  readonly reply_parameters?: { readonly message_id: number; readonly allow_sending_without_reply: true };
  readonly reply_markup?: { inline_keyboard: { text: string; callback_data: string }[][] };
}

function answerTo({ answers }: Saying, chat: string): Pick<OutgoingMessage, "reply_parameters"> {
  const [, inChat, id] = MESSAGE.exec(answers ?? "") ?? [];
  if (inChat !== chat) return {};
  // What it answers may have been deleted since.
  return { reply_parameters: { message_id: Number(id), allow_sending_without_reply: true } };
}

function keyboardOf(buttons: readonly Button[]): Pick<OutgoingMessage, "reply_markup"> {
  if (buttons.length === 0) return {};
  const keys = buttons.map(({ label, nonce }) => ({ text: label, callback_data: nonce }));
  const { buttons: most, characters } = BESIDE_EACH_OTHER;
  const fitBeside = keys.length <= most && keys.every(({ text }) => text.length <= characters);
  return { reply_markup: { inline_keyboard: fitBeside ? [keys] : keys.map((key) => [key]) } };
}

function isTopicGone(error: unknown): boolean {
  const failure = callFailure(error);
  return (
    failure.kind === "refused" && /message thread not found|TOPIC_(DELETED|ID_INVALID)/.test(failure.words)
  );
}

function outcomeOf(failure: CallFailure): SayingOutcome {
  const { words: why } = failure;
  switch (failure.kind) {
    case "refused": {
      const { movedTo } = failure;
      const isMoved = movedTo !== undefined;
      return { kind: "refused", why: isMoved ? `${why}; it is telegram/${movedTo} now` : why };
    }
    case "throttled":
      return { kind: "outage", why, retryAfterMs: failure.afterMs };
    // A person can mend the token, and the message waits until then.
    case "unauthorised":
    case "conflict":
      return { kind: "outage", why };
    case "unreachable":
      return failure.isUnsent ? { kind: "outage", why } : { kind: "outage", why, perhapsSaid: true };
  }
}
