/** A real office over a real store on disk, with its doors open on real sockets; no terminals. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as dial, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import { type Client, connect } from "../../src/client/connect.ts";
import { type HttpDoor, startHttpDoor } from "../../src/doors/http.ts";
import { startUnixDoor, type UnixDoor } from "../../src/doors/unix.ts";
import type { UnixLimits } from "../../src/doors/unix-connection.ts";
import { startWsDoor, type WsDoor } from "../../src/doors/ws.ts";
import type { WsLimits } from "../../src/doors/ws-connection.ts";
import type { OfficeContext } from "../../src/office/context.ts";
import { Office } from "../../src/office/office.ts";
import type { Store } from "../../src/ports/store.ts";
import { bodyFilesIn } from "../../src/store/body-files.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { systemClock } from "../../src/system/clock.ts";
import { randomIds, sha256 } from "../../src/system/ids.ts";
import { agentOfToken, agentToken } from "../../src/token.ts";
import type { BrokerMessage } from "../../src/wire/shapes/broker.ts";
import type { Streams, UseCases } from "../../src/wire/shapes.ts";
import { OUTSIDE } from "../desk/outside.ts";
import { AS_SHIPPED } from "../desk/settings.ts";
import { type RememberedLog, rememberedLog } from "./scripted-use-cases.ts";

export const CLAIMS = { user: "dev" };

/** As JSON brings it. */
export type Frame = { readonly type: string; readonly [field: string]: unknown };

export interface StageOptions {
  readonly ws?: Partial<WsLimits>;
  readonly unix?: Partial<UnixLimits>;
}

interface Doors {
  readonly http: HttpDoor;
  readonly ws: WsDoor;
  readonly unix: UnixDoor;
}

interface Parts {
  readonly folder: string;
  readonly log: RememberedLog;
  readonly office: Office;
  readonly store: Store;
  readonly known: Known;
}

interface Known {
  token: string;
  /** Listeners that were opened and not closed. */
  listening: number;
  watching: number;
}

export class BrokerStage {
  readonly folder: string;
  readonly log: RememberedLog;
  readonly office: Office;
  readonly store: Store;
  readonly known: Known;
  readonly doors: Doors;
  readonly #open: { end(): void }[] = [];

  private constructor(parts: Parts, doors: Doors) {
    this.folder = parts.folder;
    this.log = parts.log;
    this.office = parts.office;
    this.store = parts.store;
    this.known = parts.known;
    this.doors = doors;
  }

  static async open(options: StageOptions = {}): Promise<BrokerStage> {
    const folder = mkdtempSync(join(tmpdir(), "bh-broker-"));
    const log = rememberedLog();
    const store = await openStore({ path: join(folder, "bellhop.db") });
    const office = officeOver(store, folder, log);
    await office.open([]);
    const known = { token: "0123456789abcdef".repeat(4), listening: 0, watching: 0 };
    const parts = { folder, log, office, store, known };
    const stage = new BrokerStage(parts, await openDoors(parts, options));
    onTestFinished(() => stage.close());
    return stage;
  }

  get use(): UseCases {
    return this.office.useCases;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}/ws`;
  }

  get port(): number {
    return this.doors.http.port;
  }

  get socketPath(): string {
    return join(this.folder, "bellhop.sock");
  }

  get token(): string {
    return this.known.token;
  }

  tokenOf(agent: string): string {
    return agentToken(this.token, agent);
  }

  async agents(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.use.agent_add({ name });
  }

  /** Connected with the owner's token, or the one given; `null`: with none. */
  async ws(token: string | null = this.token, options: ClientOptions = {}): Promise<WsCaller> {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    const caller = new WsCaller(new WebSocket(this.url, { headers, ...options }));
    this.#open.push(caller);
    await caller.opened;
    return caller;
  }

  async unix(): Promise<UnixCaller> {
    const caller = new UnixCaller(dial(this.socketPath));
    this.#open.push(caller);
    await once(caller.socket, "connect");
    return caller;
  }

  async client(): Promise<Client> {
    const client = await connect(this.socketPath);
    this.#open.push({ end: () => client.close() });
    return client;
  }

  async close(): Promise<void> {
    for (const caller of this.#open.splice(0)) caller.end();
    await this.doors.unix.close(200);
    await this.doors.ws.close(200);
    await this.doors.http.close(200);
    expect(this.known.listening).toBe(0);
    expect(this.known.watching).toBe(0);
    await this.office.close();
    await this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
    expect(this.log.entries.filter(({ level }) => level === "error")).toEqual([]);
  }
}

/** Things that come one by one, and may be waited for. */
class Arrivals<T> {
  readonly #come: T[] = [];
  readonly #asked: { resolve(value: T): void; reject(error: Error): void }[] = [];
  #over: Error | undefined;

  add(value: T): void {
    const asked = this.#asked.shift();
    if (asked === undefined) this.#come.push(value);
    else asked.resolve(value);
  }

  next(): Promise<T> {
    const come = this.#come.shift();
    if (come !== undefined) return Promise.resolve(come);
    if (this.#over !== undefined) return Promise.reject(this.#over);
    return new Promise((resolve, reject) => this.#asked.push({ resolve, reject }));
  }

  get waiting(): readonly T[] {
    return this.#come;
  }

  end(why: string): void {
    this.#over = new Error(why);
    for (const { reject } of this.#asked.splice(0)) reject(this.#over);
  }
}

export class WsCaller {
  readonly socket: WebSocket;
  readonly opened: Promise<void>;
  /** The code it was closed with. */
  readonly closed: Promise<number>;
  readonly answers = new Arrivals<Frame>();
  readonly pushes = new Arrivals<Frame & { readonly message: BrokerMessage }>();

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.opened = new Promise((resolve, reject) => {
      socket.once("open", () => resolve());
      socket.once("error", reject);
    });
    this.opened.catch(() => {});
    this.closed = new Promise((resolve) => {
      socket.once("close", (code) => {
        this.answers.end(`closed with ${code}`);
        this.pushes.end(`closed with ${code}`);
        resolve(code);
      });
    });
    socket.on("error", () => {});
    socket.on("message", (data) => {
      const frame = JSON.parse(String(data));
      if (frame.type === "msg.push" || frame.type === "msg.session.push") this.pushes.add(frame);
      else this.answers.add(frame);
    });
  }

  say(frame: unknown): void {
    this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  ask(frame: unknown): Promise<Frame> {
    const answer = this.answers.next();
    this.say(frame);
    return answer;
  }

  /** Everything sent before is answered, and everything pushed before it has come. */
  async settled(): Promise<void> {
    expect(await this.ask({ type: "ping", reqId: "settled" })).toEqual({ type: "pong", reqId: "settled" });
  }

  /** The next pushed message. */
  async heard(): Promise<BrokerMessage> {
    return (await this.pushes.next()).message;
  }

  end(): void {
    this.socket.terminate();
  }
}

export class UnixCaller {
  readonly socket: Socket;
  readonly lines = new Arrivals<Record<string, unknown>>();
  readonly pushes = new Arrivals<Record<string, unknown>>();
  readonly closed: Promise<void>;
  #text = "";

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("utf8");
    socket.on("error", () => {});
    socket.on("data", (text: string) => {
      const lines = (this.#text + text).split("\n");
      this.#text = lines.pop() ?? "";
      for (const line of lines.filter((one) => one !== "")) {
        const told = JSON.parse(line);
        (told.type === "push" ? this.pushes : this.lines).add(told);
      }
    });
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.lines.end("closed");
        this.pushes.end("closed");
        resolve();
      });
    });
  }

  say(request: unknown): void {
    this.socket.write(`${JSON.stringify(request)}\n`);
  }

  ask(request: unknown): Promise<Record<string, unknown>> {
    const answer = this.lines.next();
    this.say(request);
    return answer;
  }

  end(): void {
    this.socket.destroy();
  }
}

/** The office's own, counted. */
function counted({ listen, watch }: Streams, known: Known): Streams {
  return {
    async watch(request, ear) {
      let left = () => {
        known.watching -= 1;
        left = () => {};
      };
      const watching = await watch(request, {
        ...ear,
        over(error) {
          left();
          ear.over(error);
        },
      });
      known.watching += 1;
      return {
        ...watching,
        close() {
          left();
          watching.close();
        },
      };
    },
    async listen(request, push) {
      const listening = await listen(request, push);
      known.listening += 1;
      let close = () => {
        known.listening -= 1;
        listening.close();
        close = () => {};
      };
      return { ...listening, close: () => close() };
    },
  };
}

async function openDoors({ folder, log, office, known }: Parts, options: StageOptions): Promise<Doors> {
  const { useCases } = office;
  const streams = counted(office.streams, known);
  const common = { useCases, streams, log, user: "dev" };
  const http = await startHttpDoor({
    ...common,
    port: { kind: "default", port: 0 },
    socketPath: join(folder, "http.sock"),
    readToken: async () => known.token,
    agentOfToken,
    now: Date.now,
  });
  return {
    http,
    ws: startWsDoor({ ...common, loopback: http.loopback, limits: options.ws ?? {} }),
    unix: await startUnixDoor({
      ...common,
      path: join(folder, "bellhop.sock"),
      version: "0",
      now: Date.now,
      limits: options.unix ?? {},
    }),
  };
}

function officeOver(store: Store, folder: string, log: RememberedLog): Office {
  const context: OfficeContext = {
    store,
    clock: systemClock,
    ids: randomIds,
    digest: sha256,
    log,
    files: bodyFilesIn(join(folder, "messages")),
    processes: {
      tree: async () => [],
      alive: async () => "gone",
      workingFolder: async () => undefined,
      environment: async () => ({}),
    },
    transcripts: { find: async () => ({ kind: "unreadable", why: "no program here" }) },
    inboxes: {},
    owner: "person/dev",
    checkpoint: () => {},
    settings: () => AS_SHIPPED,
  };
  return new Office({
    ...OUTSIDE,
    context,
    registry: { lookUp: async () => undefined, note: async () => undefined },
    servers: () => [],
    profile: () => undefined,
    parseHookEvent: () => {
      throw new Error("no hooks here");
    },
  });
}

/** Waits for something that must come, without a time of its own: the test's deadline is the only one. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}
