/** One cluster of so many hosts: what they say, what it costs a host to hear it, and to find something in it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AdmittedHost } from "../../src/core/cluster/admission.ts";
import { LOOK_EVERY_MS } from "../../src/office/cluster/announcing.ts";
import { IN_MEMORY } from "../../src/store/sqlite/open.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { bytesInUse } from "../rig/bytes-in-use.ts";
import { median } from "../rounds.ts";
import { VirtualClock } from "./clock.ts";
import { CountingHub } from "./engine.ts";
import { VirtualHost } from "./host.ts";
import { type Lookups, lookUp } from "./lookups.ts";

/** So many of the hosts listen; the others only speak. */
const LISTENING = 2;
const STARTS_WITHIN_MS = 30_000;
/** So long each way of life is watched. */
const WATCHED_MS = { quiet: 60_000, busy: 20_000 };

export interface Rate {
  readonly perSecond: number;
  readonly bytesPerSecond: number;
  /** What one of them costs the host that hears it. */
  readonly us: number;
}

export interface Figures extends Lookups {
  readonly hosts: number;
  /** Of one announcement. */
  readonly bytes: number;
  /** To each host, while nothing changes. */
  readonly quiet: Rate;
  /** To each host, while an agent on every host begins or ends a turn all the time. */
  readonly busy: Rate;
  /** A host joins and hears all others, until they are on its disk. */
  readonly joinMs: number;
  /** It starts again, with what it kept. */
  readonly restartMs: number;
  /** In the memory of one host, for each host that it knows. */
  readonly knownBytes: number;
}

export async function measured(count: number): Promise<Figures> {
  const cluster = new VirtualCluster();
  try {
    await cluster.open(count);
    const { quiet, busy } = await cluster.live();
    const { hub, listening, admitted } = cluster;
    const [first] = listening;
    if (first === undefined) throw new Error("nobody listens");
    return {
      ...{ hosts: count, bytes: hub.bytes / hub.announcements, quiet, busy },
      ...lookUp(first, admitted),
      ...(await cluster.joined()),
    };
  } finally {
    await cluster.close();
  }
}

class VirtualCluster {
  readonly #folder = mkdtempSync(join(tmpdir(), "bellhop-growth-"));
  readonly #clock = new VirtualClock();
  readonly hub = new CountingHub(this.#clock);
  admitted: readonly AdmittedHost[] = [];
  readonly #hosts: VirtualHost[] = [];

  get listening(): readonly VirtualHost[] {
    return this.#hosts.slice(0, LISTENING);
  }

  async open(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) this.#hosts.push(await this.#host(index));
    this.admitted = this.#hosts.map(({ name, sealer }) => ({
      ...{ host: name, key: sealer.publicKey, rights: ["send", "hear"] },
    }));
    for (const [index, host] of this.#hosts.entries()) {
      if (index < LISTENING) host.cluster.start();
      else host.hosts.start();
      await this.#clock.advance(STARTS_WITHIN_MS / count);
    }
  }

  async live(): Promise<{ readonly quiet: Rate; readonly busy: Rate }> {
    const quiet = await this.#watched(WATCHED_MS.quiet, () => {});
    const busy = await this.#watched(WATCHED_MS.busy, () => {
      for (const host of this.#hosts) host.toggle();
    });
    return { quiet, busy };
  }

  async joined(): Promise<Pick<Figures, "joinMs" | "restartMs" | "knownBytes">> {
    const path = join(this.#folder, "bellhop.db");
    const index = this.#hosts.length;
    const newcomer = await this.#host(index, path);
    const before = bytesInUse();
    const joinMs = await timed(async () => {
      newcomer.cluster.start();
      // Written after all that is to be written.
      await newcomer.store.write(() => undefined);
    });
    const knownBytes = (bytesInUse() - before) / this.hub.said.size;
    expectKnown(newcomer, index);
    await newcomer.stop();
    const again = await this.#host(index, path);
    const restartMs = await timed(async () => again.hosts.start());
    expectKnown(again, index);
    await again.stop();
    return { joinMs, restartMs, knownBytes };
  }

  async close(): Promise<void> {
    for (const host of this.#hosts) await host.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #host(index: number, path = IN_MEMORY): Promise<VirtualHost> {
    const { hub } = this;
    const around = { clock: this.#clock, hub, admitted: () => this.admitted };
    const keyFile = join(this.#folder, `key-${index}`);
    const host = await VirtualHost.make(index, await openStore({ path }), keyFile, around);
    await host.moveIn();
    return host;
  }

  /** What came to those who listen. */
  async #watched(ms: number, happens: () => void): Promise<Rate> {
    const { hub, listening } = this;
    const before = { announcements: hub.announcements, bytes: hub.bytes };
    for (const { engine } of listening) engine.tookMs.length = 0;
    for (let passed = 0; passed < ms; passed += LOOK_EVERY_MS) {
      happens();
      await this.#clock.advance(LOOK_EVERY_MS);
    }
    return {
      perSecond: ((hub.announcements - before.announcements) * 1_000) / ms,
      bytesPerSecond: ((hub.bytes - before.bytes) * 1_000) / ms,
      us: median(listening.flatMap(({ engine }) => engine.tookMs)) * 1_000,
    };
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function expectKnown({ hosts }: VirtualHost, count: number): void {
  const known = hosts.listed().length;
  if (known === 0 || new Set(hosts.listed().map(({ host }) => host)).size !== count)
    throw new Error(`only ${known} agents are known, of ${count} hosts`);
}
