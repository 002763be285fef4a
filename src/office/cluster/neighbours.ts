/**
 * The hosts of the cluster by what each says of itself: who is where, and where somebody hears a path, also while it or
 * the engine is away. The open cluster starts and stops it and passes on what comes; the rooms ask it. Whoever is not
 * admitted is listed and never used.
 */
import { isAgentName, splitAddress } from "../../core/address.ts";
import type { AdmittedHost, HostRight } from "../../core/cluster/admission.ts";
import type { Elsewhere, HostName } from "../../core/cluster/hosts.ts";
import type { AgentName, Instant } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { Pattern } from "../../core/routing/pattern.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { ClusterEngine } from "../../ports/cluster-engine.ts";
import type { Announcement } from "../../wire/cluster/parcels.ts";
import type { HostState, ShownHost, ShownNeighbour } from "../../wire/shapes/cluster.ts";
import type { ListedElsewhere } from "../../wire/shapes/sessions.ts";
import { VERSION } from "../../wire/version.ts";
import type { Neighbourhood } from "../presence/neighbourhood.ts";
import { Announcing, type AnnouncingParts } from "./announcing.ts";
import { json } from "./heard.ts";
import { HeardHosts } from "./heard-hosts.ts";
import { obstacleTo } from "./sending/obstacles.ts";

export interface KnownHostsParts extends AnnouncingParts {
  /** Absent: nothing is in the way. */
  readonly engine?: Pick<ClusterEngine, "standing">;
  admitted(): readonly AdmittedHost[];
}

export class KnownHosts implements Neighbourhood {
  readonly host: HostName;
  readonly #parts: KnownHostsParts;
  readonly #announcing: Announcing;
  readonly #heard: HeardHosts;

  constructor(parts: KnownHostsParts) {
    this.host = parts.host;
    this.#parts = parts;
    this.#announcing = new Announcing(parts);
    this.#heard = new HeardHosts(parts);
  }

  start(): void {
    let lastNumber = 0;
    for (const known of this.#parts.context.store.read.knownHosts()) {
      if (known.host === this.host) lastNumber = known.number;
      else this.#heard.remember(known);
    }
    this.#announcing.start(lastNumber);
  }

  async stop(): Promise<void> {
    this.#announcing.stop();
    await this.#heard.keepTimes();
  }

  /** Names under which a host with this key was here, and which nobody has now. */
  formerNames(key: string): readonly HostName[] {
    return this.#heard.formerNames(key);
  }

  connected(): void {
    this.#announcing.connected();
  }

  changed(): void {
    this.#announcing.changed();
  }

  hosts(): readonly HostName[] {
    return [...this.#heard.admitted().keys()].toSorted();
  }

  isAdmitted(host: HostName): boolean {
    return this.#heard.admitted().has(host);
  }

  may(host: HostName, right: HostRight): boolean {
    return this.#heard.admitted().get(host)?.rights.includes(right) === true;
  }

  named(name: string): readonly Elsewhere[] {
    const admitted = this.#heard.admitted();
    return this.#heard.index.named(name).filter(({ host }) => admitted.has(host));
  }

  agentsOf(host: HostName): readonly AgentName[] {
    return this.isAdmitted(host) ? this.#heard.index.agentsOf(host) : [];
  }

  personOf(host: HostName): string | undefined {
    return this.isAdmitted(host) ? this.#heard.of(host)?.said.person : undefined;
  }

  takersOf(path: Pattern): readonly HostName[] {
    return this.#heard.index.takersOf(path).filter((host) => this.may(host, "hear"));
  }

  obstacle(host: HostName): string | undefined {
    const { engine, sealer } = this.#parts;
    if (engine === undefined) return undefined;
    return obstacleTo(host, this.#heard.admitted().get(host)?.key, engine, sealer);
  }

  lacks({ address, host }: Elsewhere): boolean {
    const { kind, rest } = splitAddress(address);
    if (kind !== "agent" || !isAgentName(rest) || this.standing(host) !== "up") return false;
    if (this.#heard.of(host)?.said.othersToo === true) return false;
    return !this.#heard.index.agentsOf(host).includes(rest);
  }

  listed(): readonly ListedElsewhere[] {
    return this.hosts().flatMap((host) => {
      const heard = this.#heard.of(host);
      const isUp = this.standing(host) === "up";
      return (heard?.said.agents ?? []).map((agent) =>
        listedElsewhere(host, heard?.heardAt ?? 0, isUp, agent),
      );
    });
  }

  /** This host first, then those that are admitted, then the others that say something; each by name. */
  list(): readonly ShownHost[] {
    const agents = this.#announcing.agents().map(shownNeighbour);
    return [
      { host: this.host, state: "here", agents, version: VERSION },
      ...this.hosts().map((host) => this.#shown(host)),
      ...this.#heard.strangers().map((host) => ({ host, state: "not-admitted" as const, agents: [] })),
    ];
  }

  /** Undefined: it left, or has said nothing for long. */
  announced(host: HostName, bytes: Uint8Array | undefined): void {
    this.#heard.announced(host, bytes);
  }

  /** Whether this host itself said it. If not, that is logged: another one has its name, or a copy of its home runs. */
  checkOwn(bytes: Uint8Array): boolean {
    const { sealer } = this.#parts;
    const verified = sealer.verified(bytes, sealer.publicKey);
    const said = verified === undefined ? undefined : json(Buffer.from(verified).toString("utf8"));
    const { number } = (said ?? {}) as Partial<Announcement>;
    const isOwn = typeof number === "number" && this.#announcing.recogniseOwn(number);
    if (!isOwn) this.#heard.doubt("cluster.name_taken", this.host);
    return isOwn;
  }

  standing(host: HostName): HostState {
    return this.#heard.standing(host);
  }

  #shown(host: HostName): ShownHost {
    const heard = this.#heard.of(host);
    const rights = this.#heard.admitted().get(host)?.rights;
    const state = this.standing(host);
    return {
      host,
      state,
      ...(state === "key-differs" ? { doubt: otherKey(host) } : {}),
      agents: (heard?.said.agents ?? []).map(shownNeighbour),
      ...(heard === undefined
        ? {}
        : { version: sanitiseLine(heard.said.version, 40), heardAt: heard.heardAt }),
      ...present({ rights }),
    };
  }
}

function otherKey(host: HostName): string {
  return `its key is not the one that is admitted here, so nothing from it is taken. If it is right there (on ${host}: bellhop cluster status), expel it here, and admit it with that key`;
}

function shownNeighbour({ name, program, state }: Announcement["agents"][number]): ShownNeighbour {
  return { name, state, ...present({ program }) };
}

function listedElsewhere(
  host: HostName,
  heardAt: Instant,
  isUp: boolean,
  { name, program, state, sessions }: Announcement["agents"][number],
): ListedElsewhere {
  return {
    host,
    agent: name,
    ...present({ program }),
    readiness: state,
    sessions,
    hostState: isUp ? "up" : "silent",
    heardAt,
  };
}
