/** A real office over a real store on disk, with its doors open on real sockets; no terminals. */

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as dial } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import { type Client, connect } from "../../src/client/connect.ts";
import { agentToken } from "../../src/home/token.ts";
import type { Office } from "../../src/office/office.ts";
import type { Store } from "../../src/ports/store.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import type { UseCases } from "../../src/wire/verbs/index.ts";
import { askedBy } from "../desk/asked-by.ts";
import { UnixCaller, WsCaller } from "./broker-callers.ts";
import { type DoorOptions, type Doors, type Known, officeOver, openDoors } from "./broker-doors.ts";
import { type RememberedLog, rememberedLog } from "./scripted-use-cases.ts";

export const CLAIMS = { user: "dev" };

interface Parts {
  readonly folder: string;
  readonly log: RememberedLog;
  readonly office: Office;
  readonly store: Store;
  readonly known: Known;
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

  static async open(options: DoorOptions = {}): Promise<BrokerStage> {
    const folder = mkdtempSync(join(tmpdir(), "bh-broker-"));
    const log = rememberedLog();
    const store = await openStore({ path: join(folder, "bellhop.db") });
    const office = officeOver(store, folder, log);
    await office.open([]);
    const known = { token: "0123456789abcdef".repeat(4), listening: 0, following: 0, reading: 0 };
    const parts = { folder, log, office, store, known };
    const stage = new BrokerStage(parts, await openDoors(parts, options));
    onTestFinished(() => stage.close());
    return stage;
  }

  get use(): UseCases {
    return askedBy(this.office.useCases);
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
    expect(this.known.following).toBe(0);
    expect(this.known.reading).toBe(0);
    await this.office.close();
    await this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
    expect(this.log.entries.filter(({ level }) => level === "error")).toEqual([]);
  }
}

/** Waits for something that must happen; the only deadline is the test's own. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}
