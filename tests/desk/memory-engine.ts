/** The engine of one host, in memory. */
import { BAG_AGAIN, LEASE_MS, REPEAT_MS, STORE_DEADLINE_MS } from "../../src/cluster/times.ts";
import type { HostName } from "../../src/core/cluster/hosts.ts";
import { NotStored } from "../../src/core/cluster/not-stored.ts";
import { backoffMs } from "../../src/core/time/backoff.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { ClusterEngine, EngineEars, EngineStanding } from "../../src/ports/cluster-engine.ts";

const NAME_AGAIN_MS = 5_000;
const NAMESAKE = "another machine is in this cluster under this name";
const NO_ANSWER = "NATS did not answer within 5 s";
const LOST = "the connection to NATS was lost";

export interface StoredBag {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly storedAt: number;
  again: number;
}

export interface Said {
  readonly bytes: Uint8Array;
  readonly at: number;
}

/** What all of them share. */
interface Hub {
  readonly delayMs: number;
  readonly falseAgeMs: number;
  readonly largestBytes: number;
  readonly mostBags: number;
  /** It accepts, and never answers. */
  readonly isFrozen: boolean;
  join(engine: MemoryEngine): void;
  part(engine: MemoryEngine): void;
  waiting(host: HostName): readonly Uint8Array[];
  /** Why this host cannot use the engine now. */
  obstacle(host: HostName): string | undefined;
  /** Whether the answer reaches the one who asked. */
  put(to: HostName, name: string, bytes: Uint8Array): boolean;
  first(host: HostName): StoredBag | undefined;
  /** Its host has taken it. False: the engine did not hear it. */
  taken(host: HostName, bag: StoredBag): boolean;
  /** Undefined: it leaves. */
  say(host: HostName, bytes: Uint8Array | undefined): void;
  /** The end of a lease is silent: who listens counts by itself. */
  said(): ReadonlyMap<HostName, Said>;
}

export class MemoryEngine implements ClusterEngine {
  readonly host: HostName;
  readonly #hub: Hub;
  readonly #clock: Clock;
  #ears: EngineEars | undefined;
  #standing: EngineStanding;
  #announced: Uint8Array | undefined;
  /** Who said something, and how to stop counting its lease. */
  readonly #leases = new Map<HostName, () => void>();
  #cancelRepeat: () => void = () => {};
  #cancelLook: (() => void) | undefined;
  #handling: Promise<void> | undefined;
  /** Those who wait for an answer. Who closes waits for none. */
  readonly #asking = new Set<() => void>();
  #isClosed = false;

  constructor(hub: Hub, host: HostName, clock: Clock) {
    this.#hub = hub;
    this.host = host;
    this.#clock = clock;
    this.#standing = { state: "starting", since: clock.now() };
  }

  open(ears: EngineEars): void {
    this.#ears = ears;
    this.#hub.join(this);
    queueMicrotask(() => this.notice());
  }

  standing(): EngineStanding {
    return this.#standing;
  }

  async store(to: HostName, name: string, bag: Uint8Array): Promise<void> {
    await Promise.resolve();
    this.#expectUp();
    const most = this.#hub.largestBytes;
    if (bag.length > most) throw new Error(`the bag has ${bag.length} bytes, and the server takes ${most}`);
    if (this.#hub.waiting(to).length >= this.#hub.mostBags)
      throw new NotStored(`NATS keeps no more for ${to}`);
    if (!this.#hub.isFrozen && this.#hub.put(to, name, bag)) return;
    await this.#noAnswer();
  }

  async announce(bytes: Uint8Array): Promise<void> {
    this.#announced = bytes.slice();
    await Promise.resolve();
    this.#say();
  }

  async depart(): Promise<void> {
    this.#announced = undefined;
    this.#cancelRepeat();
    await Promise.resolve();
    this.#expectUp();
    if (this.#hub.isFrozen) await this.#noAnswer();
    this.#hub.say(this.host, undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const give of this.#asking) give();
    this.#hub.part(this);
    this.#cancelRepeat();
    this.#cancelLook?.();
    for (const cancel of this.#leases.values()) cancel();
    this.#leases.clear();
    await this.#handling;
  }

  /** @internal The engine went down or came up, or is reached for the first time. */
  notice(): void {
    if (this.#isClosed) return;
    const reason = this.#hub.obstacle(this.host) ?? this.#namesake();
    const before = this.#standing;
    if (reason === undefined ? before.state === "up" : before.state === "down" && before.reason === reason)
      return;
    const since = before.state === "down" && reason !== undefined ? before.since : this.#clock.now();
    this.#standing =
      reason === undefined ? { state: "up", since, server: "memory" } : { state: "down", since, reason };
    this.#ears?.standing(this.#standing);
    if (reason !== undefined) return;
    this.#hearAll();
    this.#say();
    this.look();
  }

  /** @internal There may be a bag for this host. */
  look(afterMs = 0): void {
    if (this.#cancelLook !== undefined) return;
    const look = (): void => {
      this.#cancelLook = undefined;
      this.#handOut();
    };
    if (afterMs > 0) this.#cancelLook = this.#clock.after(afterMs, look);
    else queueMicrotask(look);
  }

  /** @internal */
  hear(host: HostName, bytes: Uint8Array | undefined, ageMs = 0): void {
    if (this.#isClosed || this.#standing.state !== "up") return;
    if (host === this.host) {
      if (bytes !== undefined) this.notice();
      return;
    }
    this.#leases.get(host)?.();
    if (bytes === undefined) this.#forget(host);
    else {
      this.#leases.set(
        host,
        this.#clock.after(LEASE_MS - ageMs, () => this.#forget(host)),
      );
      this.#ears?.announced(host, bytes);
    }
  }

  /** Whoever is not this host said something under its name. */
  #namesake(): string | undefined {
    const said = this.#hub.said().get(this.host);
    if (said === undefined || this.#ears?.isOwn?.(said.bytes) !== false) return undefined;
    this.#clock.after(NAME_AGAIN_MS, () => this.notice());
    return NAMESAKE;
  }

  #forget(host: HostName): void {
    if (this.#leases.delete(host)) this.#ears?.announced(host, undefined);
  }

  #hearAll(): void {
    const said = this.#hub.said();
    for (const host of this.#leases.keys()) if (!said.has(host)) this.hear(host, undefined);
    for (const [host, { bytes, at }] of said) this.hear(host, bytes.slice(), this.#clock.monotonic() - at);
  }

  #say(): void {
    this.#cancelRepeat();
    if (this.#announced === undefined || this.#isClosed) return;
    if (this.#standing.state === "up") this.#hub.say(this.host, this.#announced);
    this.#cancelRepeat = this.#clock.after(REPEAT_MS, () => this.#say());
  }

  async #noAnswer(): Promise<never> {
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(STORE_DEADLINE_MS, () => give());
      const give = (): void => {
        this.#asking.delete(give);
        cancel();
        resolve();
      };
      this.#asking.add(give);
    });
    throw new Error(this.#isClosed ? LOST : NO_ANSWER);
  }

  #expectUp(): void {
    if (this.#isClosed) throw new Error("the engine is closed");
    if (this.#standing.state === "starting") throw new Error("the engine is not connected yet");
    if (this.#standing.state === "down") throw new Error(this.#standing.reason);
  }

  #handOut(): void {
    const bag = this.#hub.first(this.host);
    const ears = this.#ears;
    if (this.#isClosed || this.#handling !== undefined || this.#standing.state !== "up") return;
    if (bag === undefined || ears === undefined) return;
    const ageMs = this.#clock.monotonic() - bag.storedAt;
    if (ageMs < this.#hub.delayMs) {
      this.look(this.#hub.delayMs - ageMs);
      return;
    }
    const taking = Promise.resolve()
      .then(() =>
        ears.bag({ bytes: bag.bytes.slice(), ageMs: ageMs + this.#hub.falseAgeMs, again: bag.again }),
      )
      .then(
        () => this.#hub.taken(this.host, bag),
        () => {
          bag.again += 1;
          return false;
        },
      );
    this.#handling = taking.then((isTaken) => {
      this.#handling = undefined;
      if (!this.#isClosed) this.look(isTaken ? 0 : backoffMs(BAG_AGAIN, bag.again - 1));
    });
  }
}
