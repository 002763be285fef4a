/** The built daemon: a publish is answered when it is committed. Listeners share a mailbox, or each has its own. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Client } from "../../../src/client/connect.ts";
import type { Bellhop as BellhopClient } from "../../../src/client/library.ts";
import { Bellhop } from "../../../tests/rig/bellhop.ts";
import { type Carrier, type FanOut, Watched } from "./carrier.ts";
import { WebSocketClient } from "./websocket.ts";
import { Turn, Wire } from "./wire.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
type Library = typeof import("../../../src/client/library.ts");

const NEWLINE = 0x0a;
const READY = "ready?";
const READY_MS = 50;

interface Told {
  readonly type?: string;
  readonly ok?: boolean;
  /** The body is its fifth field. */
  readonly brief?: readonly unknown[];
}

const BODY = 4;

/** Sends one request and reads answers and pushes; the details depend on the door. */
interface Line {
  say(what: Readonly<Record<string, unknown>>): void;
  close(): void;
}
type OpenLine = (told: (what: Told) => void, failed: (cause: unknown) => void) => Promise<Line>;

export class BellhopCarriers {
  readonly mailbox: Carrier;
  readonly agents: Carrier;
  readonly unix: Carrier;
  /** `bellhop/client` of the same build, as a user would choose it. */
  readonly library: Carrier;
  readonly #bellhop: Bellhop;
  readonly #client: Client;
  readonly #folder: string;

  private constructor(
    bellhop: Bellhop,
    client: Client,
    folder: string,
    ws: OpenLine,
    unix: OpenLine,
    library: Library,
  ) {
    this.#bellhop = bellhop;
    this.#client = client;
    this.#folder = folder;
    this.mailbox = new OverWebSocket("Bellhop, one mailbox", client, ws, "one-mailbox");
    this.agents = new OverWebSocket("Bellhop, an agent each", client, ws, "agent-each");
    this.unix = new OverUnixSocket("Bellhop, Unix socket", client, unix);
    this.library = new ByLibrary(bellhop.home, client, library);
  }

  static async start(build?: string): Promise<BellhopCarriers> {
    const folder = mkdtempSync(join(tmpdir(), "bellhop-bench-"));
    // Separate from the user's own tmux server and agents.
    const bellhop = new Bellhop({
      env: { TMUX_TMPDIR: folder, HOME: folder },
      ...(build === undefined ? {} : { build }),
    });
    await bellhop.start();
    const client = await bellhop.client();
    const { http, tokenFile } = await client.call("status", {});
    const target = { port: http.port, path: "/ws", token: readFileSync(tokenFile, "utf8").trim() };
    return new BellhopCarriers(
      bellhop,
      client,
      folder,
      (told, failed) => webSocketLine(target, told, failed),
      (told, failed) => unixLine(bellhop.socket, told, failed),
      await import(pathToFileURL(join(build ?? ROOT, "dist", "client.mjs")).href),
    );
  }

  async close(): Promise<void> {
    for (const carrier of [this.mailbox, this.agents, this.unix, this.library]) await carrier.close();
    this.#client.close();
    await this.#bellhop.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

abstract class BellhopCarrier implements Carrier {
  readonly what: string;
  readonly client: Client;
  readonly #open: OpenLine;
  readonly #lines: Line[] = [];

  constructor(what: string, client: Client, open: OpenLine) {
    this.what = what;
    this.client = client;
    this.#open = open;
  }

  abstract open(listeners: number): Promise<FanOut>;

  async agent(name: string, path: string): Promise<void> {
    await this.client.call("agent_add", { name });
    await this.client.call("sub_add", { agent: name, pattern: path, claims: { user: "bench" } });
  }

  /** Resolves when it listens. */
  async listener(watched: Watched, listen: Readonly<Record<string, unknown>>): Promise<void> {
    const answered = new Turn<void>();
    const line = await this.#line(watched, (told) => {
      if (told.brief === undefined) answered.give();
      else watched.events.heard(String(told.brief[BODY]));
    });
    const answer = answered.next();
    line.say(listen);
    await answer;
  }

  async publisher(watched: Watched): Promise<Line> {
    return this.#line(watched, () => watched.events.answered());
  }

  async #line(watched: Watched, told: (what: Told) => void): Promise<Line> {
    const failed = (cause: unknown) => watched.events.failed(cause);
    const line = await this.#open((what) => {
      const isRefused = what.ok === false || what.type?.endsWith(".error") === true;
      if (isRefused) failed(new Error(JSON.stringify(what)));
      else told(what);
    }, failed);
    this.#lines.push(line);
    return line;
  }

  async close(): Promise<void> {
    for (const line of this.#lines) line.close();
  }
}

class OverWebSocket extends BellhopCarrier {
  readonly #shape: "one-mailbox" | "agent-each";

  constructor(what: string, client: Client, open: OpenLine, shape: "one-mailbox" | "agent-each") {
    super(what, client, open);
    this.#shape = shape;
  }

  async open(listeners: number): Promise<FanOut> {
    const watched = new Watched();
    const path = `bench/${this.#shape}/${listeners}`;
    for (let index = 0; index < listeners; index += 1) {
      const agentId = `${this.#shape}-${listeners}${this.#shape === "agent-each" ? `-${index}` : ""}`;
      if (index === 0 || this.#shape === "agent-each") await this.agent(agentId, path);
      await this.listener(watched, { type: "msg.listen", agentId, brief: true });
    }
    const publisher = await this.publisher(watched);
    let asked = 0;
    return watched.fanOut(listeners, (body) => {
      asked += 1;
      publisher.say({ type: "msg.route", reqId: asked, path, body });
    });
  }
}

class OverUnixSocket extends BellhopCarrier {
  async open(listeners: number): Promise<FanOut> {
    const watched = new Watched();
    const path = `bench/unix/${listeners}`;
    const agent = `unix-${listeners}`;
    await this.agent(agent, path);
    for (let index = 0; index < listeners; index += 1)
      await this.listener(watched, { type: "listen", req_id: 1, agent, version: "0.1.0", brief: true });
    const publisher = await this.publisher(watched);
    let asked = 0;
    return watched.fanOut(listeners, (body) => {
      asked += 1;
      publisher.say({ type: "route", req_id: asked, path, body });
    });
  }
}

class ByLibrary implements Carrier {
  readonly what = "Bellhop, its client library";
  readonly #home: string;
  readonly #client: Client;
  readonly #library: Library;
  readonly #open: BellhopClient[] = [];

  constructor(home: string, client: Client, library: Library) {
    this.#home = home;
    this.#client = client;
    this.#library = library;
  }

  async open(listeners: number): Promise<FanOut> {
    const watched = new Watched();
    const agent = `library-${listeners}`;
    const path = `bench/library/${listeners}`;
    await this.#client.call("agent_add", { name: agent });
    await this.#client.call("sub_add", { agent, pattern: path, claims: { user: "bench" } });
    const publisher = await this.#bellhop();
    const listening = await Promise.all(
      Array.from({ length: listeners }, () => this.#listener(agent, watched)),
    );
    // A listener does not say when it listens.
    for (let all = false; !all; all = listening.every((isListening) => isListening())) {
      await publisher.route(path, READY);
      await sleep(READY_MS);
    }
    return watched.fanOut(listeners, (body) => {
      publisher.route(path, body).then(
        () => watched.events.answered(),
        (cause: unknown) => watched.events.failed(cause),
      );
    });
  }

  /** Returns whether it has received anything yet. */
  async #listener(agent: string, watched: Watched): Promise<() => boolean> {
    const listener = await this.#bellhop();
    let listens = false;
    const hear = async (): Promise<void> => {
      for await (const { body } of listener.listen(agent)) {
        listens = true;
        if (body !== READY) watched.events.heard(body);
      }
    };
    hear().catch((cause: unknown) => watched.events.failed(cause));
    return () => listens;
  }

  async #bellhop(): Promise<BellhopClient> {
    const bellhop = await this.#library.openBellhop({ home: this.#home });
    this.#open.push(bellhop);
    return bellhop;
  }

  async close(): Promise<void> {
    for (const bellhop of this.#open) bellhop.close();
  }
}

async function webSocketLine(
  target: { readonly port: number; readonly path: string; readonly token: string },
  told: (what: Told) => void,
  failed: (cause: unknown) => void,
): Promise<Line> {
  const socket = await WebSocketClient.open(target, (text) => told(JSON.parse(text)), failed);
  return { say: (what) => socket.send(JSON.stringify(what)), close: () => socket.close() };
}

async function unixLine(
  path: string,
  told: (what: Told) => void,
  failed: (cause: unknown) => void,
): Promise<Line> {
  const wire = await Wire.open({ path });
  wire.listen((bytes, at) => {
    const end = bytes.indexOf(NEWLINE, at);
    if (end < 0) return -1;
    if (end > at) told(JSON.parse(bytes.toString("utf8", at, end)));
    return end + 1;
  }, failed);
  return { say: (what) => wire.write(`${JSON.stringify(what)}\n`), close: () => wire.close() };
}
