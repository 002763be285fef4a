/**
 * An engine in memory, which behaves as NATS does (`tests/contract/cluster-engine.test.ts` compares them): one hub, and
 * an engine for each host. It can be down, for all or for one host, lose what is asked or answered, repeat and delay.
 */
import { LEASE_MS, NAMES_KEPT_MS } from "../../src/cluster/times.ts";
import type { HostName } from "../../src/core/cluster/hosts.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { MemoryEngine, type Said, type StoredBag } from "./memory-engine.ts";

const LARGEST_BYTES = 1_048_576;

export class MemoryEngines {
  readonly #clock: Clock;
  readonly #bags = new Map<HostName, StoredBag[]>();
  readonly #names = new Map<string, number>();
  readonly #said = new Map<HostName, Said>();
  readonly #open = new Set<MemoryEngine>();
  readonly #cutOff = new Map<HostName, string>();
  #downFor: string | undefined;
  #lostAnswers = 0;
  #lostBags = 0;
  #swallowed = 0;
  readonly #repeats = new Map<HostName, number>();
  /** How long a bag is under way before it is handed out. */
  delayMs = 0;
  /** It says that each bag is so much older than it is. */
  falseAgeMs = 0;
  /** What one bag may have. */
  largestBytes = LARGEST_BYTES;
  /** How many may wait for one host. */
  mostBags = Number.POSITIVE_INFINITY;
  /** How many bags were stored, ever. */
  stored = 0;
  /** It accepts what is asked, and never answers. */
  isFrozen = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Another one after each restart of its host. */
  engine(host: HostName, clock = this.#clock): MemoryEngine {
    return new MemoryEngine(this, host, clock);
  }

  /** For all hosts, until it comes up. What is stored stays. */
  goDown(reason = "cannot reach nats://127.0.0.1:4222: connection refused"): void {
    this.#downFor = reason;
    this.#tellAll();
  }

  comeUp(): void {
    this.#downFor = undefined;
    this.#tellAll();
  }

  /** One host cannot reach the engine, and notices it. */
  cutOff(host: HostName, reason = "cannot reach nats://127.0.0.1:4222: timed out"): void {
    this.#cutOff.set(host, reason);
    this.#tellAll();
  }

  /** Nothing is lost, repeated or delayed any more. */
  heal(): void {
    this.#lostAnswers = 0;
    this.#lostBags = 0;
    this.#swallowed = 0;
    this.#repeats.clear();
    this.delayMs = 0;
  }

  rejoin(host: HostName): void {
    this.#cutOff.delete(host);
    this.#tellAll();
  }

  /** The next bags are stored, and nobody learns it. */
  loseAnswers(count = 1): void {
    this.#lostAnswers += count;
  }

  /** The next bags are lost before they come to the engine. */
  loseBags(count = 1): void {
    this.#lostBags += count;
  }

  /** The next bags are stored, and lost before anybody gets them. */
  swallow(count = 1): void {
    this.#swallowed += count;
  }

  /** The next bags of this host are handed out once more, although it has taken them. */
  repeat(host: HostName, count = 1): void {
    this.#repeats.set(host, (this.#repeats.get(host) ?? 0) + count);
  }

  /** Somebody deletes what is stored for this host. */
  wipe(host: HostName): void {
    this.#bags.delete(host);
  }

  /** What is stored for this host, oldest first. */
  waiting(host: HostName): readonly Uint8Array[] {
    return (this.#bags.get(host) ?? []).map(({ bytes }) => bytes);
  }

  /** @internal Why this host cannot use the engine now. */
  obstacle(host: HostName): string | undefined {
    return this.#downFor ?? this.#cutOff.get(host);
  }

  /** @internal */
  join(engine: MemoryEngine): void {
    this.#open.add(engine);
  }

  /** @internal */
  part(engine: MemoryEngine): void {
    this.#open.delete(engine);
  }

  /** @internal Whether the answer reaches the one who asked. */
  put(to: HostName, name: string, bytes: Uint8Array): boolean {
    if (this.#lostBags > 0) {
      this.#lostBags -= 1;
      return false;
    }
    if (this.#swallowed > 0) {
      this.#swallowed -= 1;
      return true;
    }
    const now = this.#clock.monotonic();
    const before = this.#names.get(name);
    if (before === undefined || now - before > NAMES_KEPT_MS) {
      this.#names.set(name, now);
      const bags = this.#bags.get(to) ?? [];
      this.#bags.set(to, bags);
      bags.push({ name, bytes: bytes.slice(), storedAt: now, again: 0 });
      this.stored += 1;
      for (const engine of this.#open) if (engine.host === to) engine.look();
    }
    if (this.#lostAnswers === 0) return true;
    this.#lostAnswers -= 1;
    return false;
  }

  /** @internal */
  first(host: HostName): StoredBag | undefined {
    return this.#bags.get(host)?.[0];
  }

  /** @internal Its host has taken it. False: the engine did not hear it. */
  taken(host: HostName, bag: StoredBag): boolean {
    bag.again += 1;
    if (this.obstacle(host) !== undefined) return false;
    const repeats = this.#repeats.get(host) ?? 0;
    if (repeats > 0) {
      this.#repeats.set(host, repeats - 1);
      return false;
    }
    const bags = this.#bags.get(host) ?? [];
    if (bags[0] === bag) bags.shift();
    return true;
  }

  /** @internal Undefined: it leaves. */
  say(host: HostName, bytes: Uint8Array | undefined): void {
    if (bytes === undefined) this.#said.delete(host);
    else this.#said.set(host, { bytes: bytes.slice(), at: this.#clock.monotonic() });
    for (const engine of this.#open) engine.hear(host, bytes?.slice());
  }

  /** @internal The end of a lease is silent: who listens counts by itself. */
  said(): ReadonlyMap<HostName, Said> {
    const now = this.#clock.monotonic();
    return new Map([...this.#said].filter(([, { at }]) => now - at < LEASE_MS));
  }

  #tellAll(): void {
    for (const engine of this.#open) engine.notice();
  }
}
