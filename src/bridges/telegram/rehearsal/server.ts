/**
 * A Telegram of one's own on 127.0.0.1: the Bot API over HTTP for one bot, and the people who write to it. For tests,
 * and for trying the bridge before there is a bot.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "../../../ports/clock.ts";
import { type Arguments, BotApi } from "./bot-api.ts";
import type { Chat, ChatMessage, ChatOptions, ChatUser } from "./chats.ts";
import { type PlannedTrouble, RefusedCall } from "./refusal.ts";

export interface TelegramRehearsalOptions {
  readonly clock: Clock;
  readonly token?: string;
  readonly chats: readonly ChatOptions[];
}

/** What a person does to a chat. */
export interface PersonMessage {
  readonly chat: number;
  readonly from: number;
  readonly name?: string;
  readonly text?: string;
  /** Instead of a text: `photo`, `sticker` … as the Bot API has them. */
  readonly content?: Readonly<Record<string, unknown>>;
  readonly answers?: number;
  readonly topic?: number;
}

const REHEARSED_TOKEN = "7000000001:rehearsal-of-a-bot-that-nobody-has";
const BOT: ChatUser = { id: 7_000_000_001, is_bot: true, first_name: "Bellhop", username: "bellhop_bot" };
const LONGEST_BODY_BYTES = 1_048_576;

export class TelegramRehearsal {
  readonly token: string;
  readonly api: BotApi;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #planned: { readonly method: string; readonly trouble: PlannedTrouble }[] = [];
  readonly calls: { readonly method: string; readonly args: Arguments }[] = [];
  #presses = 0;
  #isOut = false;

  private constructor({ clock, token = REHEARSED_TOKEN, chats }: TelegramRehearsalOptions) {
    this.token = token;
    this.api = new BotApi(clock, BOT);
    for (const chat of chats) this.api.addChat(chat);
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on("connection", (socket) => {
      socket.on("error", () => {});
      if (this.#isOut) return void socket.destroy();
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  static async start(options: TelegramRehearsalOptions): Promise<TelegramRehearsal> {
    const rehearsal = new TelegramRehearsal(options);
    await new Promise<void>((resolve, reject) => {
      rehearsal.#server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
    return rehearsal;
  }

  /** For `api_root`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  chat(id: number): Chat {
    return this.api.chat(id) ?? this.api.addChat({ id });
  }

  says({ chat, from, name = "Ada", text = "", content = { text }, answers, topic }: PersonMessage): {
    readonly updateId: number;
    readonly message: ChatMessage;
  } {
    const user: ChatUser = { id: from, is_bot: false, first_name: name };
    const message = this.chat(chat).post(user, {
      content,
      ...(answers === undefined ? {} : { answers }),
      ...(topic === undefined ? {} : { topic }),
    });
    return { updateId: this.api.updates.add({ message }), message };
  }

  /** A person presses the button with this nonce under a message of the bot. */
  presses(chat: number, messageId: number, nonce: string, from: number): { updateId: number; id: string } {
    const message = this.chat(chat).message(messageId);
    if (message === undefined) throw new Error(`There is no message ${messageId}.`);
    this.#presses += 1;
    const id = String(4_000_000_000_000_000 + this.#presses);
    this.api.addPress(id);
    const callback_query = {
      id,
      from: { id: from, is_bot: false, first_name: "Ada" },
      message,
      chat_instance: "-1",
      data: nonce,
    };
    return { updateId: this.api.updates.add({ callback_query }), id };
  }

  /** What the bot said in this chat, in order. */
  heard(chat: number): readonly ChatMessage[] {
    return this.chat(chat).messages.filter(({ from, text }) => from.id === BOT.id && text !== undefined);
  }

  /** What becomes of the next call of this method. */
  plan(method: string, trouble: PlannedTrouble): void {
    this.#planned.push({ method, trouble });
  }

  /** Every connection ends, and each new one at once. */
  outage(isOut: boolean): void {
    this.#isOut = isOut;
    if (isOut) this.#hangUp();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#hangUp();
    await closed;
  }

  #hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const hungUp = new AbortController();
    response.on("close", () => hungUp.abort());
    try {
      const [token, method] = this.#addressed(request);
      const args = await bodyOf(request);
      if (token !== this.token) throw new RefusedCall(401, "Unauthorized");
      this.calls.push({ method, args });
      const planned = this.#plannedFor(method);
      if (planned instanceof RefusedCall) throw planned;
      if (planned === "silence") return;
      if (planned === "garbage") return void response.writeHead(502).end("<html>Bad Gateway</html>");
      const result = await this.api.call(method, args, hungUp.signal);
      if (planned === "lost") return void response.destroy();
      answer(response, 200, { ok: true, result });
    } catch (error) {
      const { refusal } = error instanceof RefusedCall ? error : new RefusedCall(400, "Bad Request");
      answer(response, refusal.error_code, refusal);
    }
  }

  #addressed({ url = "" }: IncomingMessage): readonly [string, string] {
    const found = /^\/bot([^/?]+)\/([A-Za-z]+)$/.exec(url);
    if (found === null) throw new RefusedCall(404, "Not Found");
    return [found[1] ?? "", found[2] ?? ""];
  }

  #plannedFor(method: string): PlannedTrouble | undefined {
    const at = this.#planned.findIndex((plan) => plan.method === method);
    return at < 0 ? undefined : this.#planned.splice(at, 1)[0]?.trouble;
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<Arguments> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > LONGEST_BODY_BYTES) throw new RefusedCall(413, "Request Entity Too Large");
    chunks.push(chunk);
  }
  if (length === 0) return {};
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  return typeof body === "object" && body !== null ? (body as Arguments) : {};
}
