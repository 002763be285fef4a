/** A Slack of one's own on this machine: the Web API and Socket Mode, for rehearsals and tests. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import type { Clock } from "../../../ports/clock.ts";
import { isFields } from "../../fields.ts";
import { escaped, readable } from "../markup.ts";
import { Envelopes } from "./envelopes.ts";
import { CallRefusal, type PlannedTrouble } from "./refusal.ts";
import { type CallArguments, WebApi } from "./web-api.ts";
import {
  APP,
  BOT,
  type ChannelOptions,
  type NewMessage,
  type Person,
  type PostedMessage,
  TEAM,
  Workspace,
} from "./workspace.ts";

export interface RehearsalOptions {
  readonly clock: Clock;
  readonly people: readonly Person[];
  readonly channels?: readonly ChannelOptions[];
  /** How long Slack waits for an answer. */
  readonly resendMs?: number;
}

export interface Heard extends PostedMessage {
  /** Without markup, as people see it. */
  readonly shown: string;
  /** Whom it notifies by name. */
  readonly pings: readonly string[];
}

const LONGEST_REQUEST = 1_048_576;

export class SlackRehearsal {
  readonly appToken = "xapp-1-A0REHEARSAL-1-0123456789abcdef";
  readonly botToken = "xoxb-1-1-abcdefghijklmnop";
  readonly workspace: Workspace;
  readonly envelopes: Envelopes;
  readonly api: WebApi;
  readonly calls: { readonly method: string; readonly args: CallArguments }[] = [];
  readonly #http: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #connections = new Set<Socket>();
  readonly #tickets = new Set<string>();
  readonly #planned = new Map<string, PlannedTrouble[]>();
  #isOut = false;
  /** A server that lets programs in and then says nothing. */
  isSilent = false;
  /** How many connections `hello` claims. */
  claimedConnections: number | undefined;

  private constructor({ clock, people, channels = [], resendMs = 3_000 }: RehearsalOptions) {
    this.workspace = new Workspace(clock.now, people, channels);
    this.envelopes = new Envelopes(clock, resendMs);
    this.api = new WebApi({
      workspace: this.workspace,
      appToken: this.appToken,
      botToken: this.botToken,
      ticket: () => this.#ticket(),
      posted: (message) => this.event({ ...message, channel_type: kindOf(message.channel) }),
    });
    this.#http = createServer((request, response) => void this.#answer(request, response));
    this.#http.on("connection", (socket) => this.#connect(socket));
    this.#http.on("upgrade", (request, socket, head) => {
      if (this.#isOut || !this.#tickets.delete(request.url ?? "")) return void socket.destroy();
      this.#sockets.handleUpgrade(request, socket, head, (client) => this.#greet(client));
    });
  }

  static async start(options: RehearsalOptions): Promise<SlackRehearsal> {
    const rehearsal = new SlackRehearsal(options);
    await new Promise<void>((resolve) => rehearsal.#http.listen(0, "127.0.0.1", resolve));
    return rehearsal;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/api/`;
  }

  get openSockets(): number {
    return this.#sockets.clients.size;
  }

  /** A person writes these characters; a mention of the bot is told twice, as Slack does. */
  says(channel: string, user: string, text: string, more: Partial<NewMessage> = {}): PostedMessage {
    return this.saysMarkup(channel, user, escaped(text), more);
  }

  saysMarkup(channel: string, user: string, text: string, more: Partial<NewMessage> = {}): PostedMessage {
    const message = this.workspace.post({ channel, user, text, ...more });
    this.event({ ...message, channel_type: kindOf(channel), client_msg_id: randomUUID() });
    if (text.includes(`<@${BOT.id}>`) && kindOf(channel) !== "im")
      this.event({ ...message, type: "app_mention" });
    return message;
  }

  /** The id of its envelope. */
  event(event: Readonly<Record<string, unknown>>): string {
    const payload = {
      team_id: TEAM,
      api_app_id: APP,
      event: { event_ts: event.ts, team: TEAM, ...event },
      type: "event_callback",
      event_id: `Ev${randomUUID().replaceAll("-", "").slice(0, 10).toUpperCase()}`,
      event_time: Math.floor(Date.now() / 1_000),
    };
    return this.envelopes.add({ type: "events_api", payload });
  }

  presses({ channel, ts }: PostedMessage, value: string, user: string): string {
    const message = this.workspace.message(channel, ts);
    const button = buttonsOf(message).find((one) => one.value === value);
    const thread = message.thread_ts === undefined ? {} : { thread_ts: message.thread_ts };
    const action = { action_id: "button-0", block_id: "b1", type: "button", value, text: button?.text };
    const payload = {
      type: "block_actions",
      user: { id: user, username: "ada", name: "ada", team_id: TEAM },
      api_app_id: APP,
      container: {
        type: "message_attachment",
        message_ts: ts,
        attachment_id: 1,
        channel_id: channel,
        ...thread,
      },
      trigger_id: randomUUID(),
      team: { id: TEAM, domain: "rehearsal" },
      channel: { id: channel, name: kindOf(channel) === "im" ? "directmessage" : "channel" },
      message,
      actions: [{ ...action, action_ts: this.workspace.nextTs() }],
    };
    return this.envelopes.add({ type: "interactive", payload });
  }

  /** What the bot wrote, in order. */
  heard(channel: string): readonly Heard[] {
    return this.workspace.messages
      .filter((message) => message.channel === channel && message.user === BOT.id)
      .map((message) => ({
        ...message,
        shown: readable(message.text, { userId: "nobody", name: "" }),
        pings: message.text.match(/<[!@][^>]*>/g) ?? [],
      }));
  }

  buttonsUnder(message: PostedMessage): readonly string[] {
    return this.shownButtons(message).map(({ value }) => value);
  }

  shownButtons({
    channel,
    ts,
  }: PostedMessage): readonly { readonly label: string; readonly value: string }[] {
    return buttonsOf(this.workspace.message(channel, ts)).map(({ value, text }) => ({
      value,
      label: isFields(text) ? String(text.text) : "",
    }));
  }

  /** The next call of the method. */
  plan(method: string, ...troubles: readonly PlannedTrouble[]): void {
    this.#planned.set(method, [...(this.#planned.get(method) ?? []), ...troubles]);
  }

  /** Slack recycles its connections. */
  saysGoodbye(reason: "warning" | "refresh_requested" | "link_disabled"): void {
    this.sendRaw(JSON.stringify({ type: "disconnect", reason, debug_info: { host: "rehearsal" } }));
  }

  sendRaw(text: string): void {
    for (const client of this.#sockets.clients) client.send(text);
  }

  /** Every connection ends, and no other is let in. */
  outage(isOn: boolean): void {
    this.#isOut = isOn;
    if (isOn) for (const socket of this.#connections) socket.destroy();
  }

  async close(): Promise<void> {
    this.envelopes.forget();
    for (const client of this.#sockets.clients) client.terminate();
    for (const socket of this.#connections) socket.destroy();
    await new Promise<void>((resolve) => this.#http.close(() => resolve()));
  }

  get #port(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  #connect(socket: Socket): void {
    if (this.#isOut) return void socket.destroy();
    this.#connections.add(socket);
    socket.on("close", () => this.#connections.delete(socket));
    socket.on("error", () => {});
  }

  #ticket(): string {
    const path = `/link/?ticket=${randomUUID()}&app_id=${APP}`;
    this.#tickets.add(path);
    return `ws://127.0.0.1:${this.#port}${path}`;
  }

  #greet(client: WebSocket): void {
    client.on("message", (data) => {
      const answer: unknown = JSON.parse(String(data));
      if (isFields(answer)) this.envelopes.acknowledge(String(answer.envelope_id));
    });
    client.on("close", () => this.envelopes.disconnected(client));
    client.on("error", () => {});
    if (this.isSilent) return;
    client.send(
      JSON.stringify({
        type: "hello",
        num_connections: this.claimedConnections ?? this.#sockets.clients.size,
        debug_info: { host: "rehearsal", build_number: 1, approximate_connection_time: 18_060 },
        connection_info: { app_id: APP },
      }),
    );
    this.envelopes.connected(client);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = (request.url ?? "").replace(/^\/api\//, "");
    const args = Object.fromEntries(new URLSearchParams(await bodyOf(request)));
    const token = (request.headers.authorization ?? "").replace(/^Bearer /, "");
    this.calls.push({ method, args });
    const trouble = this.#planned.get(method)?.shift();
    if (trouble === "silence") return;
    const send = (status: number, body: unknown, headers = {}) =>
      response
        .writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers })
        .end(JSON.stringify(body));
    if (typeof trouble === "object" && "retryAfterSeconds" in trouble)
      return void send(
        429,
        { ok: false, error: "ratelimited" },
        { "retry-after": trouble.retryAfterSeconds },
      );
    if (typeof trouble === "object" && "status" in trouble) return void send(trouble.status, {});
    try {
      if (trouble instanceof CallRefusal) throw trouble;
      const result = this.api.call(method, token, args);
      if (trouble === "lost") return void request.socket.destroy();
      if (trouble === "garbage") return void response.end("<html>Something went wrong</html>");
      send(200, { ok: true, ...result });
    } catch (error) {
      if (!(error instanceof CallRefusal)) throw error;
      send(200, { ok: false, error: error.code, ...error.details });
    }
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) {
    body += chunk;
    if (body.length > LONGEST_REQUEST) request.destroy();
  }
  return body;
}

function kindOf(channel: string): "im" | "channel" {
  return channel.startsWith("D") ? "im" : "channel";
}

interface ShownButton {
  readonly value: string;
  readonly text: unknown;
}

function buttonsOf({ attachments = [] }: PostedMessage): readonly ShownButton[] {
  const blocks = attachments.flatMap((one) => (isFields(one) && Array.isArray(one.blocks) ? one.blocks : []));
  const elements: unknown[] = blocks.flatMap((one: unknown) =>
    isFields(one) && Array.isArray(one.elements) ? one.elements : [],
  );
  return elements.flatMap((one) =>
    isFields(one) && typeof one.value === "string" ? [{ value: one.value, text: one.text }] : [],
  );
}
