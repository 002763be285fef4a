/** The methods of the Bot API that Bellhop calls, with the checks and the words of the real server. */
import type { Clock } from "../../../ports/clock.ts";
import { Chat, type ChatOptions, type ChatUser, type InlineButton } from "./chats.ts";
import { type PendingUpdate, PendingUpdates } from "./pending-updates.ts";
import { badRequest, RefusedCall } from "./refusal.ts";

export type Arguments = Readonly<Record<string, unknown>>;

const LONGEST_TEXT = 4_096;
const LONGEST_NONCE_BYTES = 64;
const LONGEST_POLL_SECONDS = 50;
const MOST_UPDATES = 100;

export class BotApi {
  readonly updates: PendingUpdates;
  readonly bot: ChatUser;
  readonly #chats = new Map<number, Chat>();
  readonly #now: () => number;
  /** Presses that wait for their answer. */
  readonly #presses = new Set<string>();
  readonly answeredPresses: { readonly id: string; readonly text: string | undefined }[] = [];

  constructor(clock: Clock, bot: ChatUser) {
    this.updates = new PendingUpdates(clock);
    this.bot = bot;
    this.#now = () => clock.now();
  }

  addChat(options: ChatOptions): Chat {
    const chat = new Chat(options, this.#now);
    this.#chats.set(options.id, chat);
    return chat;
  }

  chat(id: number): Chat | undefined {
    return this.#chats.get(id);
  }

  addPress(id: string): void {
    this.#presses.add(id);
  }

  /** Throws a `RefusedCall`. */
  async call(method: string, args: Arguments, signal: AbortSignal): Promise<unknown> {
    switch (method.toLowerCase()) {
      case "getme":
        return { ...this.bot, can_join_groups: true, can_read_all_group_messages: false };
      case "getupdates":
        return this.#getUpdates(args, signal);
      case "sendmessage":
        return this.#sendMessage(args);
      case "getchat":
        return this.#chatOf(args).shown;
      case "createforumtopic":
        return this.#writable(args).createTopic(this.bot, textOf(args.name));
      case "editmessagereplymarkup":
        return this.#writable(args).setButtons(numberOf(args.message_id), buttonsOf(args));
      case "answercallbackquery":
        return this.#answerPress(args);
      default:
        throw new RefusedCall(404, "Not Found: method not found");
    }
  }

  #getUpdates(args: Arguments, signal: AbortSignal): Promise<readonly PendingUpdate[]> {
    const limit = numberOf(args.limit);
    return this.updates.get({
      offset: numberOf(args.offset),
      limit: limit > 0 ? Math.min(limit, MOST_UPDATES) : MOST_UPDATES,
      timeoutSeconds: Math.min(Math.max(0, numberOf(args.timeout)), LONGEST_POLL_SECONDS),
      signal,
    });
  }

  #sendMessage(args: Arguments): unknown {
    const chat = this.#writable(args);
    const text = textOf(args.text);
    if (text === "") throw badRequest("message text is empty");
    if (text.trim() === "") throw badRequest("text must be non-empty");
    if (text.length > LONGEST_TEXT) throw badRequest("message is too long");
    if (args.parse_mode !== undefined) throw badRequest("unsupported parse_mode");
    const topic = numberOf(args.message_thread_id);
    if (topic !== 0) chat.checkTopic(topic);
    const answers = answeredIn(args, chat);
    const buttons = buttonsOf(args);
    // The server trims every text.
    const content = { text: text.trim() };
    return chat.post(this.bot, {
      content,
      ...(topic === 0 ? topicOf(chat, answers) : { topic }),
      ...(answers === undefined ? {} : { answers }),
      ...(buttons === undefined ? {} : { buttons }),
    });
  }

  #answerPress(args: Arguments): true {
    const id = textOf(args.callback_query_id);
    if (!this.#presses.delete(id))
      throw badRequest("query is too old and response timeout expired or query ID is invalid");
    const { text } = args;
    this.answeredPresses.push({ id, text: typeof text === "string" ? text : undefined });
    return true;
  }

  #chatOf(args: Arguments): Chat {
    if (args.chat_id === undefined || args.chat_id === "") throw badRequest("chat_id is empty");
    const chat = this.#chats.get(numberOf(args.chat_id));
    if (chat === undefined) throw badRequest("chat not found");
    return chat;
  }

  #writable(args: Arguments): Chat {
    const chat = this.#chatOf(args);
    chat.checkBotMayWrite();
    return chat;
  }
}

function answeredIn({ reply_parameters: wanted }: Arguments, chat: Chat): number | undefined {
  if (!isObject(wanted)) return undefined;
  const id = numberOf(wanted.message_id);
  if (chat.message(id) !== undefined) return id;
  if (wanted.allow_sending_without_reply === true) return undefined;
  throw badRequest("message to be replied not found");
}

/** An answer belongs to the topic of what it answers. */
function topicOf(chat: Chat, answers: number | undefined): { topic?: number } {
  const topic = answers === undefined ? undefined : chat.message(answers)?.message_thread_id;
  return topic === undefined ? {} : { topic };
}

function buttonsOf({ reply_markup: markup }: Arguments): readonly (readonly InlineButton[])[] | undefined {
  if (!isObject(markup) || !Array.isArray(markup.inline_keyboard)) return undefined;
  const rows = markup.inline_keyboard.map((row: unknown) => {
    if (!Array.isArray(row)) throw badRequest("can't parse reply keyboard markup JSON object");
    return row.map(buttonOf);
  });
  return rows.length === 0 ? undefined : rows;
}

function buttonOf(button: unknown): InlineButton {
  if (!isObject(button)) throw badRequest("InlineKeyboardButton must be an Object");
  const [text, data] = [textOf(button.text), textOf(button.callback_data)];
  if (text === "") throw badRequest("text buttons are unallowed in the inline keyboard");
  const bytes = Buffer.byteLength(data);
  if (bytes === 0 || bytes > LONGEST_NONCE_BYTES) throw badRequest("BUTTON_DATA_INVALID");
  return { text, callback_data: data };
}

function isObject(value: unknown): value is Arguments {
  return typeof value === "object" && value !== null;
}

function numberOf(value: unknown): number {
  const number = Number(value ?? 0);
  return Number.isSafeInteger(number) ? number : 0;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
