/**
 * One connection to the engine, from the moment at which everything is there that Bellhop needs of it. When anything
 * stops working, it ends as a whole, and the next one begins anew, perhaps with another server.
 */
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { KV } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import type { HostName } from "../core/cluster/hosts.ts";
import { NotStored } from "../core/cluster/not-stored.ts";
import { present } from "../core/present.ts";
import type { Clock } from "../ports/clock.ts";
import type { ArrivedBag } from "../ports/cluster-engine.ts";
import type { Log } from "../ports/log.ts";
import { rest } from "../system/resting.ts";
import { Copies, copiesIn } from "./copies.ts";
import type { EngineTime } from "./engine-time.ts";
import { Hearing, type Said } from "./hearing.ts";
import {
  askBack,
  bucketStreamOf,
  ensureBucket,
  ensureConsumer,
  ensureStream,
  led,
  subjectOf,
} from "./layout.ts";
import { NotHandedOut, Taking } from "./taking.ts";
import { STORE_DEADLINE_MS } from "./times.ts";
import {
  EngineTrouble,
  isSubjectFull,
  LOST,
  NO_LEADER,
  requestTrouble,
  storeTrouble,
  type Trouble,
} from "./trouble.ts";
import { settledWithin } from "./waiting.ts";

export interface SessionOptions {
  readonly connection: NatsConnection;
  readonly host: HostName;
  readonly stream: string;
  readonly domain?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly time: EngineTime;
  readonly hand: (bag: ArrivedBag) => Promise<void>;
  /** Undefined: it left. */
  readonly said: (host: HostName, bytes: Uint8Array | undefined, ageMs: number) => void;
  /** Whether this host itself said it: another one may use its name. */
  readonly isOwn: (bytes: Uint8Array) => boolean;
}

/** How long it has to answer a question: while it has no leader it answers nothing, and soon it has one. */
const ANSWER_DEADLINE_MS = 2_000;
/** How long our own announcement may take to come back to us. */
const ECHO_DEADLINE_MS = 10_000;
const LISTEN_TRIES = 3;
/** A bag in somebody's hands is waited for so long. */
const LAST_BAG_MS = 5_000;
/** Of what is said last, and of the connection: both fit into the time that a daemon has to stop, if no bag is left. */
const GOODBYE_MS = 500;
/** Before a question that failed is asked again. */
const PAUSE_MS = 250;
/** The largest bag of the office, sealed and with its headers. */
export const LEAST_PAYLOAD_BYTES = 800 * 1_024;

export class Session {
  readonly #options: SessionOptions;
  readonly #client: JetStreamClient;
  readonly #manager: JetStreamManager;
  readonly #bucket: KV;
  readonly #copies: Copies;
  readonly #over = new AbortController();
  #end: (trouble: Trouble) => void = () => {};
  /** Why it ended. Also after `close`. */
  readonly ended: Promise<Trouble>;
  #taking: Promise<void> = Promise.resolve();
  #hearing: Hearing | undefined;
  #checking: Promise<void> | undefined;
  #cancelEcho: (() => void) | undefined;
  #echoed = 0;
  #saidAt: number | undefined;

  private constructor(
    options: SessionOptions,
    parts: { readonly client: JetStreamClient; readonly manager: JetStreamManager; readonly bucket: KV },
  ) {
    this.#options = options;
    this.#client = parts.client;
    this.#manager = parts.manager;
    this.#bucket = parts.bucket;
    const streams = [options.stream, bucketStreamOf(options.stream)];
    this.#copies = new Copies({ ...options, manager: parts.manager, streams });
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Rejects with an `EngineTrouble` if something is missing that cannot be made. */
  static async open(options: SessionOptions): Promise<Session> {
    const { connection, stream, host, domain } = options;
    try {
      expectRoom(connection);
      const asking = { timeout: ANSWER_DEADLINE_MS, ...present({ domain }) };
      const client = jetstream(connection, asking);
      const manager = await jetstreamManager(connection, { ...asking, checkAPI: false });
      const copies = copiesIn(connection);
      await ensureStream(manager, stream, copies);
      const bucket = await ensureBucket(client, manager, stream, copies);
      const session = new Session(options, { client, manager, bucket });
      await session.#expectOwnName();
      await session.#readClock();
      await session.#listen();
      const info = await ensureConsumer(manager, stream, host);
      askBack(connection, info);
      const consumer = client.consumers.getConsumerFromInfo(info);
      const taking = { ...options, consumer, waits: () => session.#waits() };
      session.#taking = session.#take(new Taking(taking, session.#over.signal));
      void connection.closed().then(() => session.#end(LOST));
      session.#copies.look();
      return session;
    } catch (error) {
      const { words, retry } = troubleOf(error, connection);
      throw new EngineTrouble(words, retry);
    }
  }

  /** What is said counts until its lease is over: whoever was here first has the name. */
  async #expectOwnName(): Promise<void> {
    const { host, isOwn } = this.#options;
    const entry = await this.#bucket.get(host);
    if (entry?.operation !== "PUT" || isOwn(entry.value)) return;
    throw new EngineTrouble(namesake(host), "rarely");
  }

  /** Resolves when the engine has it on disk; rejects with words if it does not say so. */
  async store(to: HostName, name: string, bag: Uint8Array): Promise<void> {
    const { connection, stream } = this.#options;
    const largest = connection.info?.max_payload ?? 0;
    if (bag.length + name.length + HEADER_BYTES > largest)
      throw new Error(`the bag has ${bag.length} bytes, and the server takes ${largest}`);
    const published = this.#client.publish(subjectOf(stream, to), bag, {
      msgID: name,
      timeout: STORE_DEADLINE_MS,
    });
    const stored = published.catch((error: unknown) => {
      if (isSubjectFull(error)) throw new NotStored(`NATS keeps no more for ${to}: ${FULL}`);
      throw error;
    });
    await this.#ask(stored);
  }

  async say(bytes: Uint8Array): Promise<void> {
    const { clock, host } = this.#options;
    this.#saidAt = clock.monotonic();
    const revision = await this.#ask(this.#bucket.put(host, bytes, { timeout: STORE_DEADLINE_MS }));
    this.#copies.look();
    // One that is expected already is not put off by what is said meanwhile.
    if (this.#cancelEcho !== undefined || this.#echoed >= revision || this.#over.signal.aborted) return;
    this.#cancelEcho = clock.after(ECHO_DEADLINE_MS, () => {
      this.#cancelEcho = undefined;
      if (this.#echoed < revision) this.#end(UNHEARD);
    });
  }

  async leave(): Promise<void> {
    await this.#ask(this.#bucket.delete(this.#options.host));
  }

  /** A bag that is being taken is acknowledged first. */
  async close(): Promise<void> {
    const { clock, connection } = this.#options;
    this.#over.abort();
    this.#cancelEcho?.();
    this.#hearing?.stop();
    this.#end(LOST);
    if (!connection.isClosed()) {
      await settledWithin(clock, LAST_BAG_MS, this.#taking);
      await settledWithin(clock, GOODBYE_MS, connection.flush());
    }
    await settledWithin(clock, GOODBYE_MS, connection.close());
  }

  async #take(taking: Taking): Promise<void> {
    while (!this.#over.signal.aborted) {
      try {
        await taking.next();
      } catch (error) {
        if (this.#over.signal.aborted) return;
        // A new leader, or a consumer that is gone: the second is a reason to begin anew.
        await this.#check(error);
        await rest(this.#options.clock, PAUSE_MS, this.#over.signal);
      }
    }
  }

  /** By what the stream has, which the consumer may not know. */
  async #waits(): Promise<boolean> {
    const { host, stream } = this.#options;
    const subject = subjectOf(stream, host);
    const { state } = await this.#manager.streams.info(stream, { subjects_filter: subject });
    return (state.subjects?.[subject] ?? 0) > 0;
  }

  /** The server may place it where nobody answers: another try is placed anew. */
  async #listen(triesLeft = LISTEN_TRIES - 1): Promise<void> {
    try {
      this.#hearing = await Hearing.open(this.#client, this.#options.stream, (said) => this.#hear(said));
    } catch (error) {
      if (triesLeft === 0 || this.#options.connection.isClosed()) throw error;
      return this.#listen(triesLeft - 1);
    }
    void this.#hearing.ended.then(() => this.#end(UNHEARD));
  }

  #hear({ host, bytes, at, revision }: Said): void {
    const { said, time, isOwn } = this.#options;
    if (host === this.#options.host) {
      if (bytes !== undefined && !isOwn(bytes)) this.#end({ words: namesake(host), retry: "rarely" });
      if (this.#isFresh()) time.is(at);
      this.#echoed = Math.max(this.#echoed, revision);
      return;
    }
    time.isPast(at);
    said(host, bytes, time.ageMs(at));
  }

  /** What is heard of ourselves now was said just before. */
  #isFresh(): boolean {
    return this.#saidAt !== undefined && this.#options.clock.monotonic() - this.#saidAt < ECHO_DEADLINE_MS;
  }

  /** The engine stamps what it stores: it tells its time by something that nobody else looks at. */
  async #readClock(): Promise<void> {
    const { host, stream, time } = this.#options;
    const seq = await this.#bucket.put(`clock.${host}`, "");
    const stored = await this.#manager.streams.getMessage(bucketStreamOf(stream), { seq });
    if (stored !== null) time.is(stored.time.getTime());
  }

  async #ask<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      void this.#check(error);
      throw error instanceof NotStored ? error : new Error(storeTrouble(error).words);
    }
  }

  /** Something failed: ends this session unless everything is there. */
  #check(cause: unknown): Promise<void> {
    this.#checking ??= this.#lookAtAll(cause).finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #lookAtAll(cause: unknown): Promise<void> {
    const { connection, host, stream } = this.#options;
    if (connection.isClosed()) return;
    try {
      led(await this.#manager.streams.info(stream));
      led(await this.#manager.streams.info(bucketStreamOf(stream)));
      await this.#manager.consumers.info(stream, host);
    } catch (error) {
      this.#end(troubleOf(error, connection));
      return;
    }
    // Whatever it remembers is wrong: a new one begins with the first bag that is there.
    if (cause instanceof NotHandedOut) await this.#manager.consumers.delete(stream, host).catch(() => false);
    if (cause instanceof NotHandedOut || isMissedSign(cause)) this.#end(UNHANDED);
  }
}

/** What it said under a key that is lost counts until its lease is over, and is looked at again after that. */
function namesake(host: HostName): string {
  return `another machine is in this cluster as ${host}: one of them needs another name (cluster.host in its config.yaml). If that was this machine with another key, it is over within two and a half minutes`;
}

const HEADER_BYTES = 100;
const FULL = "as much as it may waits for it there";
const UNHEARD: Trouble = { words: "what other hosts announce is not heard any more", retry: "soon" };
const UNHANDED: Trouble = { words: "NATS does not hand out bags any more", retry: "soon" };

/** In a cluster nobody answers for a stream without a leader. */
function troubleOf(error: unknown, { info }: NatsConnection): Trouble {
  const isSilent = error instanceof Error && error.name === "TimeoutError";
  return isSilent && info?.cluster !== undefined ? NO_LEADER : requestTrouble(error);
}

function isMissedSign(cause: unknown): boolean {
  return cause instanceof Error && cause.message === "heartbeats missed";
}

function expectRoom({ info }: NatsConnection): void {
  const largest = info?.max_payload ?? 0;
  if (largest < LEAST_PAYLOAD_BYTES)
    throw new EngineTrouble(
      `the server takes messages of ${largest} bytes at most, and Bellhop needs ${LEAST_PAYLOAD_BYTES} (max_payload)`,
      "rarely",
    );
}
