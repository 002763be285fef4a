/** The cluster, as a person and scripts see it. */
import type { HostRight } from "../../core/cluster/admission.ts";
import type { HostName } from "../../core/cluster/hosts.ts";
import type { Instant } from "../../core/message.ts";

/**
 * `silent`: admitted, and it has said nothing for long, left, or was never heard of. `key-differs`: admitted, and what it
 * says is signed with another key.
 */
export const HOST_STATES = ["here", "up", "silent", "key-differs", "not-admitted"] as const;
export type HostState = (typeof HOST_STATES)[number];

/** An agent there, as its host last said. */
export interface ShownNeighbour {
  readonly name: string;
  readonly program?: string;
  readonly state: string;
}

export interface ShownHost {
  readonly host: HostName;
  readonly state: HostState;
  readonly agents: readonly ShownNeighbour[];
  /** Of Bellhop there. */
  readonly version?: string;
  /** When it last said something of itself. */
  readonly heardAt?: Instant;
  /** What it may do here; absent for this host, and for one that is not admitted. */
  readonly rights?: readonly HostRight[];
  /** What is odd about it, and what to do, in a person's words. */
  readonly doubt?: string;
}

/** What goes to one host and comes from it. */
export interface HostTraffic {
  readonly host: HostName;
  /** Messages for it that are still here. */
  readonly waiting: number;
  /** Messages that went there, and of which it has not said what became of them. */
  readonly underway: number;
  readonly lastIn?: Instant;
  readonly lastOut?: Instant;
  /** Why nothing goes there, if that lies here. */
  readonly trouble?: string;
}

/** The engine that carries what travels. */
export interface ShownEngine {
  readonly state: "starting" | "up" | "down";
  readonly since: Instant;
  readonly server?: string;
  /** Why it is down, in a person's words. */
  readonly reason?: string;
}

/** What the rooms know of an open cluster. */
export interface ClusterReport {
  readonly host: HostName;
  readonly engine: ShownEngine;
  readonly traffic: readonly HostTraffic[];
  /** How many bags were dropped since the start, because nobody admitted their senders. */
  readonly strangers: number;
  /** It stays down until a person does something; `engine.reason` says what. */
  readonly stuck?: true;
}

/** `cluster_status`: a cluster that is configured. */
export interface ShownCluster extends ClusterReport {
  /** This host's public key, by which others admit it; absent if it cannot be read. */
  readonly key?: string;
  readonly servers: readonly string[];
  readonly stream: string;
  readonly hosts: readonly ShownHost[];
}

/** One line of `cluster test`. */
export interface ClusterCheck {
  readonly name: string;
  readonly verdict: "ok" | "warn" | "fail";
  readonly detail: string;
  /** What to do; absent if all is well. */
  readonly next?: string;
}

/** What the owner changed in the config; it is in force within two seconds. */
export interface ClusterJoined {
  readonly host: HostName;
  readonly key: string;
  readonly config: string;
  /** It was so before. */
  readonly already?: true;
}

/** Messages for one host. */
export interface Unfinished {
  readonly host: HostName;
  /** Still here. */
  readonly waiting: number;
  /** Gone, and it is not known what became of them. */
  readonly underway: number;
}

export interface ClusterLeft {
  readonly left: HostName;
  readonly config: string;
  /** What is not over, for each host. */
  readonly unfinished: readonly Unfinished[];
}

export interface Admitted {
  readonly host: HostName;
  readonly key: string;
  readonly rights: readonly HostRight[];
  readonly config: string;
  readonly already?: true;
  /** The rights that it had, if they were others. */
  readonly before?: readonly HostRight[];
}

export interface Expelled extends Omit<Unfinished, "host"> {
  readonly expelled: HostName;
  readonly config: string;
}

/** In the daemon's status. */
export interface ShownClusterBriefly {
  readonly host: HostName;
  readonly engine: ShownEngine;
  /** How many other hosts are admitted, and how many of them are up. */
  readonly hosts: number;
  readonly up: number;
  /** Messages for other hosts that are still here. */
  readonly waiting: number;
  /** Of each host about which something is odd: its name, and what. */
  readonly doubts?: readonly string[];
  readonly stuck?: true;
}
