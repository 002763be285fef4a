/** Opens the cluster that the configuration names, with its engine and its keys, and closes one that it no longer names. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ClusterDefinition } from "../config/cluster.ts";
import type { Config } from "../config/config.ts";
import type { AdmittedHost } from "../core/cluster/admission.ts";
import { BellhopError } from "../core/errors.ts";
import type { Instant } from "../core/message.ts";
import { present } from "../core/present.ts";
import type { ClusterAdapters } from "../office/cluster/room.ts";
import type { Office } from "../office/office.ts";
import type { ConfiguredHost } from "../office/verbs/parts.ts";
import type { Sealer } from "../ports/cluster-engine.ts";
import type { ClusterCheck } from "../wire/shapes/cluster.ts";
import {
  builtMakers,
  type ClusterMakers,
  type ClusterMakersParts,
  engineOptions,
  readCredentials,
} from "./cluster-makers.ts";
import { refusedCluster } from "./refused-cluster.ts";

export interface ConfiguredClusterParts extends ClusterMakersParts {
  readonly office: Pick<
    Office,
    "openCluster" | "closeCluster" | "leaveCluster" | "awaitCluster" | "reconsider"
  >;
  readonly keyFile: string;
  /** For tests: engines and keys of their own. */
  readonly makers?: ClusterMakers;
}

/** A file that was replaced, or can be read again, is used without a restart. */
const FILES_EVERY_MS = 2_000;
/** Servers that do not answer are no reason not to join. */
const TRIED_WITHIN_MS = 6_000;

const WHEN_JOINED = "when this host is in a cluster again: bellhop cluster join";

export class ConfiguredCluster {
  readonly #parts: ConfiguredClusterParts;
  readonly #makers: ClusterMakers;
  #definition: ClusterDefinition | undefined;
  /** What it was made from, also if it could not be opened. */
  #made: string | undefined;
  #since: Instant = 0;
  #key: string | undefined;
  #trouble: string | undefined;
  /** Each is told once, however often it is tried. */
  #logged: string | undefined;
  #failure: string | undefined;
  #applying: Promise<void> = Promise.resolve();
  #looking: (() => void) | undefined;
  #isClosed = false;
  /** Before, there may have been one: what waits for other hosts was left by an earlier daemon. */
  #hasApplied = false;

  constructor(parts: ConfiguredClusterParts) {
    this.#parts = parts;
    this.#makers = parts.makers ?? builtMakers(parts);
  }

  get definition(): ClusterDefinition | undefined {
    return this.#definition;
  }

  configured(): ConfiguredHost | undefined {
    if (this.#definition === undefined) return undefined;
    const { host, servers, stream, hosts } = this.#definition;
    return {
      host,
      servers,
      stream,
      hosts,
      since: this.#since,
      ...present({ key: this.#key, trouble: this.#trouble }),
    };
  }

  /** This host's public key. Makes one if there is none yet. */
  async key(): Promise<string> {
    this.#key ??= (await this.#makers.sealer(this.#parts.keyFile)).publicKey;
    return this.#key;
  }

  /** Whether this can be the key of a host at all. */
  async isKey(text: string): Promise<boolean> {
    return (await this.#makers.sealer(this.#parts.keyFile)).isKey(text);
  }

  /** Each step of the way to the engine. */
  async test(): Promise<readonly ClusterCheck[]> {
    const definition = this.#definition;
    if (definition === undefined) return [];
    const { engineChecks } = await import("../cluster/checks.ts");
    const isOwn = this.#trouble === undefined ? await this.#isOwn() : undefined;
    const engine = await engineChecks(engineOptions(definition, this.#parts), isOwn);
    return this.#trouble === undefined ? engine : [notOpen(this.#trouble), ...engine];
  }

  /** What a person must mend before this host can be in such a cluster, if that is known soon enough. */
  async obstacleTo(definition: ClusterDefinition): Promise<ClusterCheck | undefined> {
    const { joinObstacle } = await import("../cluster/checks.ts");
    const looking = joinObstacle(engineOptions(definition, this.#parts), await this.#isOwn());
    return this.#soonEnough(looking, TRIED_WITHIN_MS);
  }

  async #isOwn(): Promise<(bytes: Uint8Array) => boolean> {
    const sealer = await this.#makers.sealer(this.#parts.keyFile);
    return (bytes) => sealer.verified(bytes, sealer.publicKey) !== undefined;
  }

  /** One change after the other. */
  apply({ values }: Config): Promise<void> {
    return this.#applied(() => values.cluster);
  }

  /** The next change is applied however this one ends. */
  #applied(definition: () => ClusterDefinition | undefined): Promise<void> {
    const { log } = this.#parts;
    this.#applying = this.#applying
      .then(() => this.#apply(definition()))
      .then(
        () => {
          this.#failure = undefined;
        },
        (cause: unknown) => {
          if (this.#failure !== String(cause)) log.error("cluster.not_applied", { cause: String(cause) });
          this.#failure = String(cause);
        },
      );
    return this.#applying;
  }

  /** The office closes what is open. */
  close(): void {
    this.#isClosed = true;
    this.#looking?.();
  }

  async #apply(definition: ClusterDefinition | undefined): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#become(definition);
    } finally {
      this.#lookAgain();
    }
  }

  async #become(definition: ClusterDefinition | undefined): Promise<void> {
    const wanted = definition === undefined ? undefined : this.#madeFrom(definition);
    if (wanted !== this.#made || !this.#hasApplied || (await this.#isMended(definition))) {
      this.#hasApplied = true;
      await this.#closeOpened(definition);
      this.#made = wanted;
      this.#since = this.#parts.clock.now();
      this.#trouble = undefined;
      this.#definition = definition;
      if (definition === undefined) await this.#parts.office.awaitCluster(WHEN_JOINED);
      else await this.#open(definition);
    } else if (definition !== undefined) this.#admit(definition);
  }

  /** Another text if anything is configured differently but who is admitted, or a file was written anew. */
  #madeFrom({ hosts: _, ...definition }: ClusterDefinition): string {
    const stamps = [definition.credentialsFile, definition.caFile].map((path) =>
      path === undefined ? null : stampOf(resolve(this.#parts.home, path)),
    );
    return JSON.stringify([definition, stamps]);
  }

  #lookAgain(): void {
    this.#looking?.();
    this.#looking = undefined;
    const definition = this.#definition;
    if (this.#isClosed || definition === undefined) return;
    const { credentialsFile, caFile } = definition;
    if (credentialsFile === undefined && caFile === undefined && this.#trouble === undefined) return;
    this.#looking = this.#parts.clock.after(FILES_EVERY_MS, () => {
      void this.#applied(() => this.#definition);
    });
  }

  /** Who is admitted is asked at each use. */
  #admit(definition: ClusterDefinition): void {
    const isSame = isDeepStrictEqual(this.#definition?.hosts, definition.hosts);
    this.#definition = definition;
    if (!isSame) this.#parts.office.reconsider();
  }

  async #open(definition: ClusterDefinition): Promise<void> {
    const { office } = this.#parts;
    const { host } = definition;
    try {
      const adapters = await this.#adapters(definition);
      await office.openCluster({ host, admitted: () => this.#definition?.hosts ?? [], ...adapters });
    } catch (cause) {
      await office.awaitCluster(`when the cluster can be opened: ${this.#refuse(cause)}`);
      return;
    }
    if (this.#trouble === undefined) this.#logged = undefined;
  }

  /** What is in their way holds messages, and refuses none. */
  async #adapters(definition: ClusterDefinition): Promise<Pick<ClusterAdapters, "engine" | "sealer">> {
    try {
      const sealer = await this.#sealer(definition);
      return { sealer, engine: await this.#makers.engine(definition) };
    } catch (cause) {
      return refusedCluster(this.#refuse(cause), this.#parts.clock.now());
    }
  }

  /** Throws if something is in the way of opening. */
  async #sealer({ hosts, credentialsFile: path }: ClusterDefinition): Promise<Sealer> {
    const { home, keyFile } = this.#parts;
    const sealer = await this.#makers.sealer(keyFile);
    this.#key = sealer.publicKey;
    refuseOwn(hosts, sealer.publicKey);
    if (path !== undefined) readCredentials(path, home);
    return sealer;
  }

  /** What was in the way is gone. Not each such thing is a change of the config, or of a file that it names. */
  async #isMended(definition: ClusterDefinition | undefined): Promise<boolean> {
    if (definition === undefined || this.#trouble === undefined) return false;
    return this.#sealer(definition).then(
      () => true,
      () => false,
    );
  }

  #refuse(cause: unknown): string {
    const trouble = cause instanceof BellhopError ? `${cause.message} ${cause.next}` : String(cause);
    this.#trouble = trouble;
    if (trouble !== this.#logged) this.#parts.log.warn("cluster.not_open", { why: trouble });
    this.#logged = trouble;
    return trouble;
  }

  async #closeOpened(next: ClusterDefinition | undefined): Promise<void> {
    if (this.#definition === undefined) return;
    const { office, log } = this.#parts;
    const closed = next === undefined ? office.leaveCluster() : office.closeCluster();
    await closed.catch((cause: unknown) => log.error("cluster.not_closed", { cause: String(cause) }));
  }

  async #soonEnough<Result>(work: Promise<Result>, ms: number): Promise<Result | undefined> {
    let cancel = () => {};
    const late = new Promise<undefined>((done) => {
      cancel = this.#parts.clock.after(ms, () => done(undefined));
    });
    return Promise.race([work, late]).finally(() => cancel());
  }
}

/** Another one after each change of the file. One that cannot be looked at is as good as changed: opening says why. */
function stampOf(path: string): unknown {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? null : [found.ino, found.size, found.mtimeMs, found.mode];
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code ?? String(cause);
  }
}

function notOpen(trouble: string): ClusterCheck {
  const next = "It is tried again by itself, also when the config changes.";
  return { name: "cluster", verdict: "fail", detail: `it could not be opened: ${trouble}`, next };
}

/** Its own words would come back to it. */
function refuseOwn(hosts: readonly AdmittedHost[], key: string): void {
  const own = hosts.find((one) => one.key === key);
  if (own === undefined) return;
  throw new BellhopError("config.invalid", {
    message: `cluster.hosts.${own.host} has the key of this host itself.`,
    next: `Put the key there that "bellhop cluster status" prints on ${own.host}.`,
  });
}
