/** Several desks as hosts of one cluster: one clock, one engine in memory, and keys that are only words. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { AdmittedHost, HostRight } from "../../src/core/cluster/admission.ts";
import { DEFAULT_HOST_RIGHTS } from "../../src/core/cluster/admission.ts";
import type { HostName } from "../../src/core/cluster/hosts.ts";
import type { Delivery } from "../../src/core/message.ts";
import { sealed } from "../../src/office/cluster/packing.ts";
import type { EngineStanding, Sealer } from "../../src/ports/cluster-engine.ts";
import type { Store } from "../../src/ports/store.ts";
import type { Parcel } from "../../src/wire/cluster/parcels.ts";
import { FakeClock, OpenWork } from "./clock.ts";
import { Desk, type Surroundings } from "./desk.ts";
import { emptyStore } from "./empty-store.ts";
import type { MemoryEngine } from "./memory-engine.ts";
import { MemoryEngines } from "./memory-engines.ts";

/** Long enough for bags, news and their answers. */
const UNTIL_TOLD_MS = 3_000;

export class HostDesk extends Desk {
  /** Another one when it joins next. Its key stays that of its first name. */
  host: HostName;
  readonly #sealer: Sealer;
  /** Who may send here; the same list as long as nothing changes. */
  admitted: readonly AdmittedHost[] = [];
  readonly hub: MemoryEngines;
  /** A daemon that starts joins at once. */
  joins = true;
  #engine: MemoryEngine | undefined;

  constructor(host: HostName, hub: MemoryEngines, store: Store, folder: string, shared: Surroundings) {
    super(store, folder, shared);
    this.host = host;
    this.#sealer = wordSealer(host);
    this.hub = hub;
  }

  override async open(...spooled: Parameters<Desk["open"]>): Promise<void> {
    await super.open(...spooled);
    if (this.joins) await this.join();
  }

  async join(): Promise<void> {
    this.#engine = this.hub.engine(this.host);
    const { host } = this;
    const admitted = () => this.admitted;
    // Not by the clock of the desk: what a cluster needs is loaded only now.
    await this.office.openCluster({ host, admitted, engine: this.#engine, sealer: this.#sealer });
  }

  get standing(): EngineStanding | undefined {
    return this.#engine?.standing();
  }

  override crash(): void {
    super.crash();
    // What it was handed is not taken.
    void this.#engine?.close();
    this.#engine = undefined;
  }

  admits(
    host: HostName,
    rights: readonly HostRight[] = DEFAULT_HOST_RIGHTS,
    key: string = keyOf(host),
  ): void {
    const others = this.admitted.filter((one) => one.host !== host);
    this.admitted = [...others, { host, key, rights }];
  }

  expels(host: HostName): void {
    this.admitted = this.admitted.filter((one) => one.host !== host);
  }

  /** Its deliveries here that go to another host, or came from one, by the text of their messages. */
  byBody(body: string): readonly Delivery[] {
    return this.store.read
      .itemsAfter(undefined, 0, 10_000)
      .filter(({ message }) => message.body === body)
      .map(({ delivery }) => delivery);
  }
}

export class DeskCluster {
  readonly work = new OpenWork();
  readonly clock = new FakeClock(this.work);
  readonly hub = new MemoryEngines(this.clock);
  readonly desks: HostDesk[] = [];
  #forged = 0;

  /** `forgets`: which letters it has taken, or of which ones that it sent it has heard nothing. */
  async host(name: HostName, { forgets }: { forgets?: "taken" | "unheard" } = {}): Promise<HostDesk> {
    const folder = mkdtempSync(join(tmpdir(), "bellhop-host-"));
    const { work, clock } = this;
    const tag = `${this.desks.length + 1}a`;
    const store = await emptyStore();
    const kept = forgets === undefined ? store : forgetting(store, forgets);
    const desk = new HostDesk(name, this.hub, kept, folder, { work, clock, tag });
    this.desks.push(desk);
    return desk;
  }

  /** Each admits all others. */
  async ready(rights: readonly HostRight[] = DEFAULT_HOST_RIGHTS): Promise<void> {
    for (const desk of this.desks)
      for (const other of this.desks) if (other !== desk) desk.admits(other.host, rights);
    for (const desk of this.desks) await desk.open();
    await this.clock.advance(UNTIL_TOLD_MS);
    for (const desk of this.desks) await desk.done(desk.use.ls({}));
  }

  async advance(ms = UNTIL_TOLD_MS): Promise<void> {
    await this.clock.advance(ms);
  }

  /** A bag as this host would make it, with anything in it. */
  forges(
    from: HostName,
    to: HostName,
    parcels: readonly unknown[],
    { says = from, sentAt = this.clock.now() } = {},
  ): void {
    this.#forged += 1;
    const bag = { from: says, sentAt, parcels: parcels as readonly Parcel[] };
    this.hub.put(to, `forged-${this.#forged}`, sealed(bag, keyOf(to), wordSealer(from)));
  }

  async close(): Promise<void> {
    for (const desk of this.desks) await desk.close();
  }
}

/** Closed when the test ends, and checked for unexpected failures. */
export async function openHosts<Names extends readonly HostName[]>(
  ...names: Names
): Promise<{ readonly cluster: DeskCluster; readonly desks: { [Index in keyof Names]: HostDesk } }> {
  const cluster = new DeskCluster();
  for (const name of names) await cluster.host(name);
  onTestFinished(async () => {
    await cluster.close();
    for (const desk of cluster.desks) expect(desk.failures).toEqual([]);
  });
  return { cluster, desks: cluster.desks as never };
}

function forgetting(store: Store, what: "taken" | "unheard"): Store {
  const none = { [what === "taken" ? "takenLetter" : "lastUnheard"]: () => undefined };
  return {
    read: { ...store.read, ...none },
    write: (change) => store.write((tx) => change({ ...tx, ...none })),
    writeCounts: () => store.writeCounts(),
    trouble: () => store.trouble(),
    close: () => store.close(),
  };
}

export function keyOf(host: HostName): string {
  return `key-of-${host}`;
}

/** Shows who made a bag and for whom, and hides nothing. */
export function wordSealer(host: HostName): Sealer {
  const publicKey = keyOf(host);
  return {
    publicKey,
    isKey: (text) => text.startsWith("key-of-"),
    seal: (bytes, recipientKey) => marked(`${publicKey} → ${recipientKey}`, bytes),
    open: (sealed, senderKey) => unmarked(`${senderKey} → ${publicKey}`, sealed),
    sign: (bytes) => marked(publicKey, bytes),
    verified: (signed, key) => unmarked(key, signed),
  };
}

function marked(mark: string, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${mark}\n`), bytes]);
}

function unmarked(mark: string, bytes: Uint8Array): Uint8Array | undefined {
  const start = Buffer.from(`${mark}\n`);
  return Buffer.from(bytes.subarray(0, start.length)).equals(start)
    ? bytes.subarray(start.length)
    : undefined;
}

/** Two hosts: Alice works on `a`, Bob on `b`, and both are idle. */
export async function aliceAndBob(rights?: readonly HostRight[]) {
  const { cluster, desks } = await openHosts("a", "b");
  const [a, b] = desks;
  const alice = a.agent("alice");
  const bob = b.agent("bob");
  await cluster.ready(rights);
  return { cluster, a, b, alice, bob };
}
