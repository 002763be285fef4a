/**
 * What the others have said of themselves, as far as it is theirs: each announcement is verified by the key by which its
 * host is admitted, and kept, so that names are known after a restart. What a host that is not admitted said is kept until
 * it is. Known hosts own it and answer from it; it says nothing itself.
 */
import type { AdmittedHost } from "../../core/cluster/admission.ts";
import { type HostName, isHostName } from "../../core/cluster/hosts.ts";
import { HostsIndex } from "../../core/cluster/hosts-index.ts";
import type { Sealer } from "../../ports/cluster-engine.ts";
import type { KnownHost } from "../../ports/cluster-store.ts";
import type { HostState } from "../../wire/shapes/cluster.ts";
import type { Ground } from "../presence/ground.ts";
import { announcementIn, type Heard, keptIn, knownHost, readable } from "./heard.ts";

/** What they said is kept until they are admitted, if it is not large. */
export const STRANGERS = { most: 100, bytes: 64 * 1024 } as const;

export interface HeardHostsParts extends Ground {
  /** This host. */
  readonly host: HostName;
  readonly sealer: Sealer;
  admitted(): readonly AdmittedHost[];
  /** Absent: always. */
  isConnected?(): boolean;
}

export class HeardHosts {
  /** Of all that were ever heard under their keys. */
  readonly index = new HostsIndex();
  readonly #parts: HeardHostsParts;
  readonly #heard = new Map<HostName, Heard>();
  readonly #strangers = new Map<HostName, Uint8Array>();
  /** Admitted, and what they announced last is not signed with that key. */
  readonly #otherKey = new Map<HostName, Uint8Array>();
  /** Told of once. */
  readonly #doubted = new Set<string>();
  #admitted: {
    readonly list: readonly AdmittedHost[];
    readonly byName: ReadonlyMap<HostName, AdmittedHost>;
  } = {
    list: [],
    byName: new Map(),
  };

  constructor(parts: HeardHostsParts) {
    this.#parts = parts;
  }

  /** What it said last; perhaps under a key by which it is not admitted now. */
  of(host: HostName): Heard | undefined {
    return this.#heard.get(host);
  }

  /** Those that say something and are not admitted. */
  strangers(): readonly HostName[] {
    const admitted = this.admitted();
    const expelled = [...this.#heard].filter(([host, { isUp }]) => isUp && !admitted.has(host));
    return [...new Set([...expelled.map(([host]) => host), ...this.#strangers.keys()])].toSorted();
  }

  /** Names under which a host with this key was here, and which nobody has now. */
  formerNames(key: string): readonly HostName[] {
    const admitted = this.admitted();
    return [...this.#heard].flatMap(([host, heard]) =>
      heard.key === key && !admitted.has(host) ? [host] : [],
    );
  }

  /** Undefined: it left, or has said nothing for long. */
  announced(host: HostName, bytes: Uint8Array | undefined): void {
    if (!isHostName(host) || host === this.#parts.host) return;
    if (bytes === undefined) this.#left(host);
    else this.#announcedBy(host, bytes);
  }

  standing(host: HostName): HostState {
    if (host === this.#parts.host) return "here";
    const admitted = this.admitted().get(host);
    if (admitted === undefined) return "not-admitted";
    if (this.#otherKey.has(host)) return "key-differs";
    const heard = this.#heard.get(host);
    // Whoever cannot reach the engine hears nobody.
    if (this.#parts.isConnected?.() === false) return "silent";
    return heard?.isUp === true && heard.key === admitted.key ? "up" : "silent";
  }

  /** Once for each host. */
  doubt(event: string, host: HostName): void {
    if (this.#doubted.has(`${event} ${host}`)) return;
    this.#doubted.add(`${event} ${host}`);
    this.#parts.context.log.warn(event, { host });
  }

  /** From an earlier start. */
  remember({ host, heardAt, announcement }: KnownHost): void {
    const kept = keptIn(announcement);
    if (kept === undefined || kept.said.host !== host) return;
    this.#heard.set(host, { ...kept, heardAt, isUp: false });
    this.index.put(host, { agents: kept.said.agents, patterns: readable(kept.said.patterns) });
  }

  /** When each was last heard is known after a restart. */
  async keepTimes(): Promise<void> {
    const { store, log } = this.#parts.context;
    const kept = new Map(store.read.knownHosts().map(({ host, heardAt }) => [host, heardAt]));
    const newer = [...this.#heard].filter(([host, { heardAt }]) => (kept.get(host) ?? heardAt) < heardAt);
    if (newer.length === 0) return;
    try {
      await store.write((tx) => {
        for (const [host, heard] of newer) tx.putKnownHost(knownHost(host, heard));
      });
    } catch (cause) {
      log.warn("cluster.host_not_kept", { cause: String(cause) });
    }
  }

  /** By name, without this host. */
  admitted(): ReadonlyMap<HostName, AdmittedHost> {
    const list = this.#parts.admitted();
    if (list === this.#admitted.list) return this.#admitted.byName;
    const others = list.filter(({ host }) => host !== this.#parts.host);
    const byName = new Map(others.map((one) => [one.host, one]));
    this.#admitted = { list, byName };
    // Whoever was admitted since, or by another key, need not say it again.
    for (const [host, bytes] of [...this.#strangers, ...this.#otherKey, ...this.#underAnotherKey(byName)]) {
      if (!byName.has(host)) continue;
      this.#strangers.delete(host);
      this.#otherKey.delete(host);
      if (bytes.length > 0) this.#announcedBy(host, bytes);
    }
    return byName;
  }

  #underAnotherKey(
    admitted: ReadonlyMap<HostName, AdmittedHost>,
  ): readonly (readonly [HostName, Uint8Array])[] {
    return [...this.#heard].flatMap(([host, { key, isUp, signed }]) => {
      const wanted = admitted.get(host)?.key;
      const isMoved = isUp && wanted !== undefined && wanted !== key && !this.#otherKey.has(host);
      return isMoved && signed !== undefined ? [[host, signed] as const] : [];
    });
  }

  #left(host: HostName): void {
    this.#strangers.delete(host);
    this.#otherKey.delete(host);
    const heard = this.#heard.get(host);
    if (heard !== undefined) heard.isUp = false;
  }

  #announcedBy(host: HostName, bytes: Uint8Array): void {
    const admitted = this.admitted().get(host);
    if (admitted === undefined) {
      this.#keepStranger(host, bytes);
      return;
    }
    const { context, sealer } = this.#parts;
    const heardAt = context.clock.now();
    const before = this.#heard.get(host);
    // A new key is a new beginning.
    const isSameKey = before?.key === admitted.key;
    const doubted = this.#otherKey.get(host);
    if (doubted !== undefined && doubted.length > 0 && Buffer.compare(doubted, bytes) === 0) return;
    this.#otherKey.delete(host);
    if (isSameKey && before.signed !== undefined && Buffer.compare(before.signed, bytes) === 0) {
      before.heardAt = heardAt;
      before.isUp = true;
      return;
    }
    const verified = sealer.verified(bytes, admitted.key);
    if (verified === undefined) {
      this.doubt("cluster.announcement_forged", host);
      this.#otherKey.set(host, bytes.length > STRANGERS.bytes ? new Uint8Array() : bytes.slice());
      return;
    }
    const said = announcementIn(Buffer.from(verified).toString("utf8"));
    if (said === undefined || said.host !== host) {
      this.doubt("cluster.announcement_unreadable", host);
      return;
    }
    if (isSameKey && said.number < before.said.number) {
      this.doubt("cluster.announcement_older", host);
      return;
    }
    const signed = bytes.slice();
    if (isSameKey && said.number === before.said.number) {
      this.#heard.set(host, { ...before, signed, heardAt, isUp: true });
      return;
    }
    const heard: Heard = { said, key: admitted.key, signed, heardAt, isUp: true };
    this.#heard.set(host, heard);
    this.index.put(host, { agents: said.agents, patterns: readable(said.patterns) });
    this.#keep(knownHost(host, heard));
  }

  #keepStranger(host: HostName, bytes: Uint8Array): void {
    const heard = this.#heard.get(host);
    // Whoever is admitted anew is believed anew: its clock may have been ahead, and its number with it.
    if (heard !== undefined)
      this.#heard.set(host, { ...heard, said: { ...heard.said, number: -1 }, isUp: true });
    this.#strangers.delete(host);
    const [oldest] = this.#strangers.keys();
    if (oldest !== undefined && this.#strangers.size >= STRANGERS.most) this.#strangers.delete(oldest);
    this.#strangers.set(host, bytes.length > STRANGERS.bytes ? new Uint8Array() : bytes.slice());
  }

  /** Names are known again after a restart; if it cannot be written, they are until then. */
  #keep(known: KnownHost): void {
    const { store, log } = this.#parts.context;
    store
      .write((tx) => tx.putKnownHost(known))
      .catch((cause) => log.warn("cluster.host_not_kept", { host: known.host, cause: String(cause) }));
  }
}
