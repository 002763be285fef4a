/**
 * One built daemon, and each of its doors as a client sees it. Each door says the same things in its own format; here
 * they are converted to one shape, so that one list of expectations holds for all.
 */
import { once } from "node:events";
import { connect as dial } from "node:net";
import { WebSocket } from "ws";
import type { ErrorDetail } from "../../src/core/errors.ts";
import { type Frame, UnixCaller, WsCaller } from "./broker-callers.ts";
import { HttpDaemon } from "./http-daemon.ts";
import { type McpClient, McpDesk, type Opened } from "./mcp-desk.ts";

type Fields = Readonly<Record<string, unknown>>;

export type Told<T> =
  | { readonly ok: T; readonly error?: undefined }
  | { readonly ok?: undefined; readonly error: ErrorDetail };

export interface Message {
  readonly to: string;
  readonly text: string;
  readonly key?: string;
}

/** What every door that shows a message says about it. */
export interface Facts {
  readonly from: string;
  readonly to: string;
  /** The mailbox it is in, and its state there. */
  readonly deliveries: readonly { readonly to: string; readonly state: string }[];
}

export interface Door {
  /** Resolves with the id under which this door knows it. */
  send(message: Message): Promise<Told<string>>;
  /** A malformed request instead of a message to the reviewer. */
  sendAmiss(): Promise<Told<unknown>>;
  /** Missing if the door has no such request. */
  readonly show?: (id: string) => Promise<Told<Facts>>;
  readonly status?: () => Promise<Told<unknown>>;
  /** As an agent that is neither sender nor recipient. */
  readOthersMail(id: string): Promise<Told<unknown>>;
  readonly takesKeys: boolean;
}

export const DOORS = ["Unix", "HTTP", "WebSocket", "MCP"] as const;
export type DoorName = (typeof DOORS)[number];

export class DoorStage {
  readonly desk = new McpDesk();
  readonly #closers: (() => unknown)[] = [];
  #doors: Readonly<Record<DoorName, Door>> | undefined;

  async open(): Promise<void> {
    const sessions = await this.desk.open();
    const http = await HttpDaemon.of(this.desk.bellhop);
    this.#closers.push(() => http.close());
    this.#doors = {
      Unix: unixDoor(await this.#unix(), sessions),
      HTTP: httpDoor(http, this.desk.tokenOf("coder")),
      WebSocket: wsDoor(await this.#ws(http, http.token), await this.#ws(http, this.desk.tokenOf("coder"))),
      MCP: mcpDoor(
        await this.desk.overHttp(http.token),
        await this.desk.overHttp(this.desk.tokenOf("coder")),
      ),
    };
  }

  door(name: DoorName): Door {
    if (this.#doors === undefined) throw new Error("the daemon is not there yet");
    return this.#doors[name];
  }

  /** How many messages were ever stored with this text. */
  async stored(text: string): Promise<number> {
    const { entries } = await (await this.desk.office()).call("history", { who: "reviewer", limit: 1_000 });
    return entries.filter(({ message }) => message.body === text).length;
  }

  async close(): Promise<void> {
    for (const close of this.#closers) close();
    await this.desk.close();
  }

  async #unix(): Promise<UnixCaller> {
    const caller = new UnixCaller(dial(this.desk.bellhop.socket));
    this.#closers.push(() => caller.end());
    await once(caller.socket, "connect");
    return caller;
  }

  async #ws({ port }: HttpDaemon, token: string): Promise<WsCaller> {
    const headers = { authorization: `Bearer ${token}` };
    const caller = new WsCaller(new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers }));
    this.#closers.push(() => caller.end());
    await caller.opened;
    return caller;
  }
}

function unixDoor(caller: UnixCaller, { coder }: Opened): Door {
  const ask = async <T>(request: Fields, read: (result: Fields) => T): Promise<Told<T>> => {
    const { ok, result, error } = await caller.ask(request);
    return ok === true ? { ok: read(result as Fields) } : { error: error as ErrorDetail };
  };
  return {
    takesKeys: true,
    send: ({ to, text, key }) =>
      ask({ type: "send", to, body: text, ...(key === undefined ? {} : { idempotency_key: key }) }, (sent) =>
        String(sent.message_id),
      ),
    sendAmiss: () => ask({ type: "send", to: "reviewer", boddy: "amiss" }, (sent) => sent),
    show: (id) => ask({ type: "show", id }, factsOf),
    status: () => ask({ type: "status" }, (status) => status),
    readOthersMail: (id) => ask({ type: "show", id, claims: { session: coder } }, factsOf),
  };
}

function httpDoor(http: HttpDaemon, agentToken: string): Door {
  const ask = async <T>(
    [method, path, body, headers]: Parameters<HttpDaemon["ask"]>,
    read: (result: Fields) => T,
  ): Promise<Told<T>> => {
    const { status, body: told } = await http.ask(method, path, body, headers);
    return status < 300 ? { ok: read(told as Fields) } : { error: (told as { error: ErrorDetail }).error };
  };
  return {
    takesKeys: true,
    send: ({ to, text, key }) =>
      ask(
        [
          "POST",
          `/sessions/${encodeURIComponent(to)}/send`,
          { text },
          key === undefined ? {} : { "idempotency-key": key },
        ],
        (sent) => String(sent.message_id),
      ),
    sendAmiss: () => ask(["POST", "/sessions/reviewer/send", { boddy: "amiss" }], (sent) => sent),
    show: (id) => ask(["GET", `/messages/${id}`], factsOf),
    status: () => ask(["GET", "/status"], (status) => status),
    readOthersMail: (id) =>
      ask(["GET", `/messages/${id}`, undefined, { authorization: `Bearer ${agentToken}` }], factsOf),
  };
}

function wsDoor(owner: WsCaller, agent: WsCaller): Door {
  const ask = async <T>(caller: WsCaller, frame: Frame, read: (answer: Frame) => T): Promise<Told<T>> => {
    const answer = await caller.ask(frame);
    if (!answer.type.endsWith("error")) return { ok: read(answer) };
    const { code, message, next } = answer as unknown as ErrorDetail;
    return { error: { code, message, next } };
  };
  return {
    takesKeys: true,
    send: ({ to, text, key }) =>
      ask(
        owner,
        { type: "msg.send", to, body: text, ...(key === undefined ? {} : { idempotencyKey: key }) },
        ({ messageId }) => String(messageId),
      ),
    sendAmiss: () => ask(owner, { type: "msg.send", to: "reviewer", boddy: "amiss" }, (answer) => answer),
    status: () => ask(owner, { type: "ping" }, (answer) => answer),
    readOthersMail: () => ask(agent, { type: "msg.receive", agentId: "reviewer" }, (answer) => answer),
  };
}

function mcpDoor(owner: McpClient, agent: McpClient): Door {
  const ask = async <T>(
    client: McpClient,
    tool: string,
    given: Fields,
    read: (value: Fields) => T,
  ): Promise<Told<T>> => {
    const { value, error } = await client.call(tool, given);
    return error === undefined ? { ok: read(value as Fields) } : { error };
  };
  return {
    takesKeys: false,
    send: ({ to, text }) => ask(owner, "send_message", { to, text }, ({ id }) => String(id)),
    sendAmiss: () => ask(owner, "send_message", { to: "reviewer", boddy: "amiss" }, (sent) => sent),
    show: (id) =>
      ask(owner, "message_status", { id }, ({ from, to, deliveries }) =>
        factsOf({ message: { from, to }, deliveries }),
      ),
    status: () => ask(owner, "list_agents", {}, (agents) => agents),
    readOthersMail: (id) => ask(agent, "message_status", { id }, (status) => status),
  };
}

function factsOf(shown: Fields): Facts {
  const { message, deliveries } = shown as unknown as {
    readonly message: Pick<Facts, "from" | "to">;
    readonly deliveries: Facts["deliveries"];
  };
  return {
    from: message.from,
    to: message.to,
    deliveries: deliveries.map(({ to, state }) => ({ to, state })),
  };
}
