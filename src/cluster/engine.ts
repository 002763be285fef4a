/** The engine on NATS JetStream: connects for as long as it takes, and keeps what must be said again. */
import type { NatsConnection } from "@nats-io/transport-node";
import type { HostName } from "../core/cluster/hosts.ts";
import { type Backoff, backoffMs } from "../core/time/backoff.ts";
import type { Clock } from "../ports/clock.ts";
import type { ArrivedBag, ClusterEngine, EngineEars, EngineStanding } from "../ports/cluster-engine.ts";
import type { Log } from "../ports/log.ts";
import { rest } from "../system/resting.ts";
import { EngineTime } from "./engine-time.ts";
import { Leases } from "./leases.ts";
import { type EngineTls, Servers } from "./servers.ts";
import { Session } from "./session.ts";
import { REPEAT_MS } from "./times.ts";
import { EngineTrouble, type Retry, requestTrouble, type Trouble } from "./trouble.ts";

export interface NatsEngineOptions {
  /** `nats://host:port`, `tls://host`: all servers of a cluster, or those behind one name. */
  readonly servers: readonly string[];
  /** What is in the file that `cluster.credentials` names. Asked for at each connection; throws with words. */
  readonly credentials?: (() => string) | undefined;
  readonly tls?: EngineTls | undefined;
  readonly host: HostName;
  readonly stream: string;
  /** Where JetStream is, if not on the server itself: a leaf node asks its hub. */
  readonly domain?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly random?: () => number;
}

const PAUSES: Readonly<Record<Retry, Backoff>> = {
  soon: { firstMs: 250, longestMs: 1_000 },
  patiently: { firstMs: 250, longestMs: 5_000 },
  rarely: { firstMs: 5_000, longestMs: 60_000 },
};
/** A connection that lasted so long was a good one. */
const STEADY_MS = 10_000;

const CLOSED: Trouble = { words: "the engine is closed", retry: "rarely" };

export function natsEngine(options: NatsEngineOptions): ClusterEngine {
  return new NatsEngine(options);
}

class NatsEngine implements ClusterEngine {
  readonly #options: NatsEngineOptions;
  readonly #servers: Servers;
  readonly #time: EngineTime;
  readonly #leases: Leases;
  readonly #closing = new AbortController();
  readonly #closed: Promise<Trouble>;
  #ears: EngineEars | undefined;
  #standing: EngineStanding;
  #session: Session | undefined;
  #running: Promise<void> = Promise.resolve();
  /** The bag that somebody takes now: the next one waits for it, also in another session. */
  #hands: Promise<void> = Promise.resolve();
  #announcement: Uint8Array | undefined;
  #cancelRepeat: () => void = () => {};

  constructor(options: NatsEngineOptions) {
    const { clock, host, random = Math.random } = options;
    this.#options = options;
    this.#servers = new Servers({ ...options, name: `bellhop ${host}` }, clock, random);
    this.#time = new EngineTime(clock);
    this.#leases = new Leases(clock, (from, bytes) => this.#ears?.announced(from, bytes));
    this.#standing = { state: "starting", since: clock.now() };
    this.#closed = new Promise((resolve) => {
      this.#closing.signal.addEventListener("abort", () => resolve(CLOSED));
    });
  }

  open(ears: EngineEars): void {
    this.#ears = ears;
    this.#running = this.#run();
  }

  standing(): EngineStanding {
    return this.#standing;
  }

  async store(to: HostName, name: string, bag: Uint8Array): Promise<void> {
    await this.#expectSession().store(to, name, bag);
  }

  /** It is said as soon as that is possible, and again after each connection. */
  async announce(bytes: Uint8Array): Promise<void> {
    this.#announcement = bytes.slice();
    await this.#say();
  }

  async depart(): Promise<void> {
    this.#announcement = undefined;
    this.#cancelRepeat();
    await this.#expectSession().leave();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelRepeat();
    this.#leases.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log, random = Math.random } = this.#options;
    const { signal } = this.#closing;
    let failures = 0;
    while (!signal.aborted) {
      const beganAt = clock.monotonic();
      const { words, retry } = await this.#live().catch((error: unknown): Trouble => {
        if (!(error instanceof EngineTrouble))
          log.error("the cluster's engine failed by a bug", { why: String(error) });
        return requestTrouble(error);
      });
      if (signal.aborted) break;
      if (clock.monotonic() - beganAt >= STEADY_MS) failures = 0;
      const stuck = retry === "rarely" ? { stuck: true as const } : {};
      this.#become({ state: "down", since: clock.now(), reason: words, ...stuck });
      await rest(clock, backoffMs(PAUSES[retry], failures, random()), signal);
      failures += 1;
    }
  }

  /** One connection, from its beginning to its end. Resolves with why it ended. */
  async #live(): Promise<Trouble> {
    const { clock, log, host, stream, domain } = this.#options;
    const { signal } = this.#closing;
    const connection = await this.#connect();
    const cut = (): void => void connection.close();
    signal.addEventListener("abort", cut);
    if (signal.aborted) cut();
    let session: Session;
    try {
      session = await Session.open({
        connection,
        host,
        stream,
        domain,
        isOwn: (bytes) => this.#ears?.isOwn?.(bytes) !== false,
        clock,
        log,
        time: this.#time,
        hand: (bag) => this.#hand(bag),
        said: (from, bytes, ageMs) =>
          bytes === undefined ? this.#leases.left(from) : this.#leases.said(from, bytes, ageMs),
      });
    } catch (error) {
      await connection.close().catch(() => {});
      throw error;
    } finally {
      signal.removeEventListener("abort", cut);
    }
    this.#session = session;
    this.#become({ state: "up", since: clock.now(), server: connection.getServer() });
    void this.#say();
    const trouble = await Promise.race([session.ended, this.#closed]);
    this.#session = undefined;
    await session.close();
    return trouble;
  }

  /** Closing does not wait for a server that does not answer. */
  async #connect(): Promise<NatsConnection> {
    const connecting = this.#servers.connect(this.#closing.signal);
    const connection = await Promise.race([connecting, this.#closed]);
    if (!("words" in connection)) return connection;
    connecting.then(
      (late) => late.close(),
      () => {},
    );
    throw new EngineTrouble(connection.words, connection.retry);
  }

  #hand(bag: ArrivedBag): Promise<void> {
    const { log } = this.#options;
    const taken = this.#hands.then(() => this.#ears?.bag(bag));
    this.#hands = taken.catch((error: unknown) => {
      if (bag.again === 0) log.warn("a bag of another host could not be taken", { why: String(error) });
    });
    return taken;
  }

  async #say(): Promise<void> {
    const { clock } = this.#options;
    this.#cancelRepeat();
    if (this.#announcement === undefined || this.#closing.signal.aborted) return;
    this.#cancelRepeat = clock.after(REPEAT_MS, () => void this.#say());
    // If it cannot be said, the session ends, and the next one says it first.
    await this.#session?.say(this.#announcement).catch(() => {});
  }

  #expectSession(): Session {
    if (this.#closing.signal.aborted) throw new Error(CLOSED.words);
    if (this.#session !== undefined) return this.#session;
    const standing = this.#standing;
    throw new Error(standing.state === "down" ? standing.reason : "the engine is not connected yet");
  }

  #become(standing: EngineStanding): void {
    const { log } = this.#options;
    const before = this.#standing;
    if (before.state === "down" && standing.state === "down") {
      if (before.reason === standing.reason) return;
      this.#standing = { ...standing, since: before.since };
    } else this.#standing = standing;
    if (standing.state === "down") log.warn("the cluster's engine is down", { why: standing.reason });
    else log.info("the cluster's engine is up", { server: standing.server });
    this.#tell();
  }

  /** Whatever they make of it: connecting goes on, and a session that is open is closed by whoever opened it. */
  #tell(): void {
    try {
      this.#ears?.standing(this.#standing);
    } catch (error) {
      this.#options.log.error("how the cluster's engine stands was not heard", { why: String(error) });
    }
  }
}
