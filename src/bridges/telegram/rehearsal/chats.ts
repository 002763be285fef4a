/** Chats with their people, messages and topics, as the Bot API shows them. */
import { badRequest, RefusedCall } from "./refusal.ts";

export interface ChatUser {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name: string;
  readonly username?: string;
}

export interface InlineButton {
  readonly text: string;
  readonly callback_data: string;
}

export interface ChatMessage {
  readonly message_id: number;
  readonly from: ChatUser;
  readonly chat: Readonly<Record<string, unknown>>;
  readonly date: number;
  readonly text?: string;
  readonly message_thread_id?: number;
  readonly is_topic_message?: true;
  readonly reply_to_message?: ChatMessage;
  readonly reply_markup?: { readonly inline_keyboard: readonly (readonly InlineButton[])[] };
  readonly forum_topic_created?: { readonly name: string; readonly icon_color: number };
  readonly [content: string]: unknown;
}

export interface ChatOptions {
  readonly id: number;
  readonly title?: string;
  /** A group with topics. */
  readonly isForum?: boolean;
}

/** What a message has besides its sender, number and date. */
export interface NewMessage {
  readonly content: Readonly<Record<string, unknown>>;
  readonly answers?: number;
  readonly topic?: number;
  readonly buttons?: readonly (readonly InlineButton[])[];
}

const ICON_COLOUR = 0x6fb9f0;

export class Chat {
  readonly #options: ChatOptions;
  readonly #now: () => number;
  readonly #messages = new Map<number, ChatMessage>();
  readonly #topics = new Map<number, string>();
  #lastId = 0;
  /** The person blocked the bot, or removed it from the group. */
  isBlocked = false;
  /** The bot is an administrator who may make topics. */
  mayManageTopics = true;

  constructor(options: ChatOptions, now: () => number) {
    this.#options = options;
    this.#now = now;
  }

  get isPrivate(): boolean {
    return this.#options.id > 0;
  }

  /** As `getChat` and messages show it. */
  get shown(): Readonly<Record<string, unknown>> {
    const { id, title = "Team", isForum } = this.#options;
    if (this.isPrivate) return { id, type: "private", first_name: title };
    return { id, type: "supergroup", title, ...(isForum === true ? { is_forum: true } : {}) };
  }

  get messages(): readonly ChatMessage[] {
    return [...this.#messages.values()];
  }

  get topics(): ReadonlyMap<number, string> {
    return this.#topics;
  }

  post(from: ChatUser, { content, answers, topic, buttons }: NewMessage): ChatMessage {
    const answered = answers === undefined ? undefined : this.#messages.get(answers);
    // A message in a topic that answers nothing is shown as an answer to the note that the topic was made.
    const replied = answered ?? (topic === undefined ? undefined : this.#messages.get(topic));
    const message: ChatMessage = {
      message_id: this.#number(),
      from,
      chat: this.shown,
      date: Math.floor(this.#now() / 1_000),
      ...(topic === undefined ? {} : { message_thread_id: topic, is_topic_message: true }),
      ...(replied === undefined ? {} : { reply_to_message: replied }),
      ...(buttons === undefined ? {} : { reply_markup: { inline_keyboard: buttons } }),
      ...content,
    };
    this.#messages.set(message.message_id, message);
    return message;
  }

  message(id: number): ChatMessage | undefined {
    return this.#messages.get(id);
  }

  removeMessage(id: number): void {
    this.#messages.delete(id);
  }

  checkBotMayWrite(): void {
    if (!this.isBlocked) return;
    const why = this.isPrivate ? "bot was blocked by the user" : "bot was kicked from the supergroup chat";
    throw new RefusedCall(403, `Forbidden: ${why}`);
  }

  createTopic(from: ChatUser, name: string): Readonly<Record<string, unknown>> {
    if (this.#options.isForum !== true) throw badRequest("the chat is not a forum");
    if (!this.mayManageTopics) throw badRequest("not enough rights to create a topic");
    if (name === "" || [...name].length > 128) throw badRequest("TOPIC_TITLE_EMPTY");
    const made = { name, icon_color: ICON_COLOUR };
    const { message_id } = this.post(from, { content: { forum_topic_created: made } });
    this.#topics.set(message_id, name);
    return { message_thread_id: message_id, ...made };
  }

  checkTopic(id: number): void {
    if (!this.#topics.has(id)) throw badRequest("message thread not found");
  }

  deleteTopic(id: number): void {
    this.#topics.delete(id);
    for (const { message_id, message_thread_id } of this.messages)
      if (message_thread_id === id || message_id === id) this.#messages.delete(message_id);
  }

  setButtons(id: number, buttons: readonly (readonly InlineButton[])[] | undefined): ChatMessage {
    const { reply_markup: before, ...message } = this.#messages.get(id) ?? missing();
    if ((before?.inline_keyboard.length ?? 0) === 0 && (buttons?.length ?? 0) === 0) throw notModified();
    const after = {
      ...message,
      ...(buttons === undefined ? {} : { reply_markup: { inline_keyboard: buttons } }),
    } as ChatMessage;
    this.#messages.set(id, after);
    return after;
  }

  #number(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}

function missing(): never {
  throw badRequest("message to edit not found");
}

function notModified(): RefusedCall {
  return badRequest(
    "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
  );
}
