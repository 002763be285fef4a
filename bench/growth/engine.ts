/**
 * An engine that only carries and counts: what a host says goes to every host that listens, and is said again as long as
 * its lease needs it, as in `src/cluster`. Most hosts of a large run do not listen, because one process cannot do the
 * work of a thousand.
 */
import { Leases } from "../../src/cluster/leases.ts";
import { REPEAT_MS } from "../../src/cluster/times.ts";
import type { HostName } from "../../src/core/cluster/hosts.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { ClusterEngine, EngineEars, EngineStanding } from "../../src/ports/cluster-engine.ts";

export class CountingHub {
  readonly clock: Clock;
  /** What each host said last. */
  readonly said = new Map<HostName, Uint8Array>();
  readonly listening = new Set<CountingEngine>();
  announcements = 0;
  bytes = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  say(host: HostName, bytes: Uint8Array): void {
    this.said.set(host, bytes);
    this.announcements += 1;
    this.bytes += bytes.length;
    for (const engine of this.listening) if (engine.host !== host) engine.hear(host, bytes);
  }
}

export class CountingEngine implements ClusterEngine {
  readonly host: HostName;
  /** How long its host needed for each that it heard. */
  readonly tookMs: number[] = [];
  readonly #hub: CountingHub;
  readonly #standing: EngineStanding;
  #ears: EngineEars | undefined;
  #leases: Leases | undefined;
  #announced: Uint8Array | undefined;
  #cancelRepeat = (): void => {};

  constructor(hub: CountingHub, host: HostName) {
    this.#hub = hub;
    this.host = host;
    this.#standing = { state: "up", since: hub.clock.now() };
  }

  open(ears: EngineEars): void {
    this.#ears = ears;
    const leases = new Leases(this.#hub.clock, (host, bytes) => this.#ears?.announced(host, bytes));
    this.#leases = leases;
    this.#hub.listening.add(this);
    for (const [host, bytes] of this.#hub.said) if (host !== this.host) leases.said(host, bytes, 0);
  }

  hear(host: HostName, bytes: Uint8Array): void {
    const start = performance.now();
    this.#leases?.said(host, bytes, 0);
    this.tookMs.push(performance.now() - start);
  }

  standing(): EngineStanding {
    return this.#standing;
  }

  async store(): Promise<void> {}

  async announce(bytes: Uint8Array): Promise<void> {
    this.#announced = bytes;
    this.#say();
  }

  async depart(): Promise<void> {}

  async close(): Promise<void> {
    this.#cancelRepeat();
    this.#leases?.close();
    this.#hub.listening.delete(this);
  }

  #say(): void {
    this.#cancelRepeat();
    if (this.#announced === undefined) return;
    this.#hub.say(this.host, this.#announced);
    this.#cancelRepeat = this.#hub.clock.after(REPEAT_MS, () => this.#say());
  }
}
