/** Changes of the section `cluster` in `config.yaml`, and why some are refused. Pure. */
import { type AdmittedHost, DEFAULT_HOST_RIGHTS, type HostRight } from "../core/cluster/admission.ts";
import { HOST_NAME_PATTERN, type HostName, isHostName } from "../core/cluster/hosts.ts";
import { isHostKey } from "../core/cluster/keys.ts";
import { BellhopError } from "../core/errors.ts";
import { present } from "../core/present.ts";
import { sanitiseLine } from "../core/text/sanitise.ts";
import {
  CLUSTER_KEYS,
  type ClusterDefinition,
  insteadOfServer,
  STANDARD_STREAM,
  STREAM_PATTERN,
} from "./cluster.ts";
import { type Edited, withAdded, withoutEntry } from "./editing.ts";
import type { ConfigEdit } from "./writing.ts";

export interface JoinWish {
  readonly servers: readonly string[];
  readonly host: HostName;
  readonly credentialsFile?: string | undefined;
  readonly caFile?: string | undefined;
  readonly stream?: string | undefined;
  /** Of JetStream, if the servers are leaf nodes. */
  readonly domain?: string | undefined;
}

/** Undefined: it says so already. */
export function joinEdit(current: ClusterDefinition | undefined, wish: JoinWish): ConfigEdit | undefined {
  const { host, servers, credentialsFile, caFile, stream, domain } = wish;
  if (!isHostName(host)) throw badName(host);
  for (const server of servers) {
    const instead = insteadOfServer(server);
    if (instead !== undefined)
      throw wrong(`This is not the address of a NATS server: ${instead}.`, HOW_TO_JOIN);
  }
  for (const [what, name] of Object.entries({ stream, domain }))
    if (name !== undefined && !STREAM_PATTERN.test(name))
      throw wrong(
        `The name of a ${what} has letters, digits, hyphens and underscores, at most 64.`,
        HOW_TO_JOIN,
      );
  if (current !== undefined) {
    if (isSame(current, wish)) return undefined;
    throw new BellhopError("cluster.joined", {
      message: `This host is in a cluster already, as ${current.host} (${current.servers.join(", ")}).`,
      next: "To change that, edit the section cluster in config.yaml; to start anew: bellhop cluster leave",
    });
  }
  const [only = "", ...more] = servers;
  const named = more.length === 0 ? only : [...servers];
  const also = present({ ca_file: caFile, domain });
  const nats = Object.keys(also).length === 0 ? named : { servers: named, ...also };
  const section = { nats, host, ...present({ credentials: credentialsFile, stream }) };
  return {
    edit: (text) => withAdded(text, ["cluster"], section) ?? withEach(text, section),
    byHand: `Add this yourself: cluster: ${JSON.stringify(section)}`,
  };
}

/** Whom it admitted before it left is there still. */
function withEach(text: string, section: Readonly<Record<string, unknown>>): Edited {
  // Each is put first.
  return Object.entries(section)
    .toReversed()
    .reduce<Edited>(
      (edited, [key, value]) =>
        edited === undefined ? undefined : withAdded(edited, ["cluster", key], value),
      text,
    );
}

const HOW_TO_JOIN = "For example: bellhop cluster join --nats tls://nats.example.org --host laptop";

function isSame(current: ClusterDefinition, wish: JoinWish): boolean {
  return (
    current.host === wish.host &&
    current.servers.join(" ") === wish.servers.join(" ") &&
    current.stream === (wish.stream ?? STANDARD_STREAM) &&
    current.credentialsFile === wish.credentialsFile &&
    current.caFile === wish.caFile &&
    current.domain === wish.domain
  );
}

export interface AdmitWish {
  readonly host: HostName;
  readonly key: string;
  /** Absent: those that it has, or the usual ones. */
  readonly rights?: readonly HostRight[] | undefined;
}

const KEY_CHARACTERS = 46;

export interface Admitting {
  readonly admitted: AdmittedHost;
  /** Absent: it was admitted so already. */
  readonly edit?: ConfigEdit;
  /** The rights that it had, if they were others. */
  readonly before?: readonly HostRight[];
}

/** `ownKey`: this host's, if it is known. */
export function admitEdit(
  { host: own, hosts }: ClusterDefinition,
  ownKey: string | undefined,
  { host, key, rights }: AdmitWish,
): Admitting {
  if (!isHostName(host)) throw badName(host);
  if (!isHostKey(key))
    throw wrong(
      "This is not the key of a host.",
      `A key begins with bh1 and has ${KEY_CHARACTERS} characters (this has ${key.length}): copy all of it. "bellhop cluster status" prints it on that host.`,
    );
  if (host === own)
    throw wrong(
      `${host} is this host itself.`,
      "Type this on the other hosts. What to admit here is what they print: bellhop cluster status",
    );
  if (key === ownKey)
    throw wrong(
      "This is the key of this host itself.",
      `What to admit here is the key of ${host}: "bellhop cluster status" prints it there.`,
    );
  const found = hosts.find((one) => one.host === host);
  const namesake = hosts.find((one) => one.key === key && one.host !== host);
  if (namesake !== undefined)
    throw taken(`This key is admitted already, as ${namesake.host}.`, namesake.host);
  if (found !== undefined && found.key !== key)
    throw taken(`${host} is admitted already, with another key.`, host);
  const admitted = { host, key, rights: rights ?? found?.rights ?? DEFAULT_HOST_RIGHTS };
  if (found !== undefined && found.rights.join() === admitted.rights.join()) return { admitted };
  if (found === undefined) return { admitted, edit: admission(admitted, rights) };
  return { admitted, edit: changedRights(admitted), before: found.rights };
}

function taken(message: string, host: HostName): BellhopError {
  return new BellhopError("host.taken", {
    message,
    next: `If that host was set up anew, or has another name now: bellhop cluster expel ${host}, and then admit it again. If not, somebody else uses its name.`,
  });
}

function admission({ host, key }: AdmittedHost, rights: readonly HostRight[] | undefined): ConfigEdit {
  const entry = { key, ...present({ rights: rights === undefined ? undefined : [...rights] }) };
  return {
    edit: (text) => withAdded(text, ["cluster", "hosts", host], entry),
    byHand: `Add this to cluster.hosts yourself: ${host}: ${JSON.stringify(entry)}`,
  };
}

function changedRights({ host, rights }: AdmittedHost): ConfigEdit {
  const path = ["cluster", "hosts", host, "rights"];
  const then = (edited: Edited) => (edited === undefined ? undefined : withAdded(edited, path, [...rights]));
  return {
    edit: (text) => then(withoutEntry(text, path)),
    byHand: `Set them yourself: cluster.hosts.${host}.rights: [${rights.join(", ")}]`,
  };
}

export function expelEdit({ hosts }: ClusterDefinition, host: HostName): ConfigEdit {
  if (!hosts.some((one) => one.host === host))
    throw new BellhopError("host.unknown", {
      message: `No host called "${sanitiseLine(host, 64)}" is admitted here.`,
      next: hosts.length === 0 ? "None is." : `Admitted: ${hosts.map((one) => one.host).join(", ")}.`,
    });
  return {
    edit: (text) => withoutEntry(text, ["cluster", "hosts", host]),
    byHand: `Remove ${host} from cluster.hosts yourself.`,
  };
}

/** Whom it admits stays, for the next time. */
export const LEAVE_EDIT: ConfigEdit = {
  edit: (text) =>
    CLUSTER_KEYS.cluster
      .filter((key) => key !== "hosts")
      .reduce<Edited>(
        (edited, key) => (edited === undefined ? undefined : withoutEntry(edited, ["cluster", key])),
        text,
      ),
  byHand: "Remove everything but hosts from the section cluster yourself.",
};

export function noCluster(): BellhopError {
  return new BellhopError("cluster.absent", {
    message: "This host is in no cluster.",
    next: HOW_TO_JOIN,
  });
}

function badName(host: string): BellhopError {
  return wrong(
    `"${sanitiseLine(host, 64)}" cannot be the name of a host.`,
    `A name has lower-case letters, digits and hyphens, at most 32 (${HOST_NAME_PATTERN.source}).`,
  );
}

function wrong(message: string, next: string): BellhopError {
  return new BellhopError("usage.invalid", { message, next });
}
