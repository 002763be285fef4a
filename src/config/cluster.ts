/** The section `cluster` of `config.yaml`: which engine carries messages to other hosts, and which hosts are admitted. */
import type { Node } from "yaml";
import {
  type AdmittedHost,
  DEFAULT_HOST_RIGHTS,
  HOST_RIGHTS,
  type HostRight,
} from "../core/cluster/admission.ts";
import { HOST_NAME_PATTERN, type HostName, isHostName } from "../core/cluster/hosts.ts";
import { isHostKey } from "../core/cluster/keys.ts";
import { present } from "../core/present.ts";
import type { ConfigReader, Entry } from "./reader.ts";

export interface ClusterDefinition {
  readonly servers: readonly string[];
  /** How others name this host. */
  readonly host: HostName;
  readonly stream: string;
  /** Relative paths are inside Bellhop's home. */
  readonly credentialsFile?: string;
  /** Certificates to trust. */
  readonly caFile?: string;
  /** Of JetStream, if the server is a leaf node. */
  readonly domain?: string;
  readonly hosts: readonly AdmittedHost[];
}

/** As they are written in the file. */
export const CLUSTER_KEYS = {
  cluster: ["nats", "host", "credentials", "stream", "hosts"],
  nats: ["servers", "credentials_file", "ca_file", "domain"],
  host: ["key", "rights"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export const CLUSTER_LIMITS = { servers: 16, hosts: 1_000 } as const;
export const STANDARD_STREAM = "bellhop";

const PLAIN_NAME = "a name of letters, digits, hyphens and underscores, at most 64";
export const STREAM_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;
const WHERE = "cluster";

export function readCluster(reader: ConfigReader, { value, line }: Entry): ClusterDefinition | undefined {
  const found = reader.section(value, WHERE, line, CLUSTER_KEYS.cluster);
  if (found.size === 0) return undefined;
  // This host has left: whom it admits stays, for the next time.
  if ([...found.keys()].every((key) => key === "hosts")) {
    readHosts(reader, found.get("hosts"), undefined);
    return undefined;
  }
  const text = (key: string) => {
    const entry = found.get(key);
    return entry && reader.text(entry.value, `${WHERE}.${key}`, entry.line);
  };
  const host = readOwnName(reader, found.get("host"), line);
  const nats = readNats(reader, found.get("nats"), line);
  const credentials = text("credentials");
  if (credentials !== undefined && nats?.credentialsFile !== undefined)
    reader.complain(line, `${WHERE}: give either credentials or nats.credentials_file`);
  const stream = text("stream") ?? STANDARD_STREAM;
  if (!STREAM_PATTERN.test(stream))
    reader.complain(
      found.get("stream")?.line ?? line,
      `${WHERE}.stream: expected ${PLAIN_NAME}, found "${stream}"`,
    );
  const hosts = readHosts(reader, found.get("hosts"), host);
  // What is wrong has been complained of, and a file with complaints is not used.
  if (host === undefined || nats === undefined) return undefined;
  const credentialsFile = credentials ?? nats.credentialsFile;
  return { ...nats, host, stream, ...present({ credentialsFile }), hosts };
}

function readOwnName(reader: ConfigReader, entry: Entry | undefined, line: number): HostName | undefined {
  const where = `${WHERE}.host`;
  if (entry === undefined) {
    reader.complain(line, `${where} is missing: how other hosts name this one, such as laptop`);
    return undefined;
  }
  const name = reader.text(entry.value, where, entry.line);
  if (name === undefined || isHostName(name)) return name;
  reader.complain(entry.line, `${where}: "${name}" must match ${HOST_NAME_PATTERN.source}`);
  return undefined;
}

type Nats = Pick<ClusterDefinition, "servers" | "credentialsFile" | "caFile" | "domain">;

/** A server, a list of them, or keys with values. */
function readNats(reader: ConfigReader, entry: Entry | undefined, line: number): Nats | undefined {
  const where = `${WHERE}.nats`;
  if (entry === undefined) {
    reader.complain(line, `${where} is missing: the server, such as tls://nats.example.org`);
    return undefined;
  }
  if (!reader.isMap(entry.value)) return serversIn(reader, entry, where);
  const found = reader.section(entry.value, where, entry.line, CLUSTER_KEYS.nats);
  const servers = found.get("servers");
  if (servers === undefined) reader.complain(entry.line, `${where}.servers is missing`);
  const [credentialsFile, caFile, domain] = (["credentials_file", "ca_file", "domain"] as const).map(
    (key) => {
      const one = found.get(key);
      return one && reader.text(one.value, `${where}.${key}`, one.line);
    },
  );
  if (domain !== undefined && !STREAM_PATTERN.test(domain))
    reader.complain(found.get("domain")?.line ?? entry.line, `${where}.domain: expected ${PLAIN_NAME}`);
  const read = servers && serversIn(reader, servers, `${where}.servers`);
  return read && { ...read, ...present({ credentialsFile, caFile, domain }) };
}

function serversIn(reader: ConfigReader, { value, line }: Entry, where: string): Nats | undefined {
  const nodes: readonly (Node | null)[] = reader.isList(value)
    ? reader.items(value, where, line, CLUSTER_LIMITS.servers)
    : [value];
  const servers = nodes.flatMap((node) => {
    const at = reader.lineOf(node, line);
    const text = reader.text(node, where, at);
    if (text === undefined) return [];
    const instead = insteadOfServer(text);
    if (instead === undefined) return [text];
    reader.complain(at, `${where}: ${instead}`);
    return [];
  });
  if (nodes.length === 0) reader.complain(line, `${where}: name at least one server`);
  return servers.length > 0 && servers.length === nodes.length ? { servers } : undefined;
}

const LAST_PORT = 65_535;

/** What is wrong with it, and what to write; undefined if it is right. The text is not repeated: it may hold a password. */
export function insteadOfServer(text: string): string | undefined {
  const form = "expected tls://HOST or nats://HOST, with :PORT if it is not 4222";
  const port = /:(\d+)\/?$/u.exec(text)?.[1];
  if (port !== undefined && (Number(port) < 1 || Number(port) > LAST_PORT))
    return `a port is a number from 1 to ${LAST_PORT}, and this is ${port.slice(0, 20)}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["tls:", "nats:"].includes(url.protocol) || url.hostname === "") return form;
  if (url.username !== "" || url.password !== "")
    return `${form}; names, passwords and tokens go into a file that ${WHERE}.credentials names`;
  return ["", "/"].includes(url.pathname) && url.search === "" && url.hash === "" ? undefined : form;
}

function readHosts(
  reader: ConfigReader,
  entry: Entry | undefined,
  own: HostName | undefined,
): readonly AdmittedHost[] {
  const where = `${WHERE}.hosts`;
  if (entry === undefined) return [];
  const entries = reader.entries(entry.value, where, entry.line);
  if (entries.length > CLUSTER_LIMITS.hosts)
    reader.complain(entry.line, `${where}: at most ${CLUSTER_LIMITS.hosts} hosts`);
  const byKey = new Map<string, HostName>();
  return entries.slice(0, CLUSTER_LIMITS.hosts).flatMap((one): AdmittedHost | readonly AdmittedHost[] => {
    const host = one.key;
    if (!isHostName(host))
      reader.complain(one.line, `${where}: "${host}" must match ${HOST_NAME_PATTERN.source}`);
    if (host === own)
      reader.complain(
        one.line,
        `${where}.${host}: this is the host itself; remove it there, or choose another name`,
      );
    const found = reader.section(one.value, `${where}.${host}`, one.line, CLUSTER_KEYS.host);
    const key = readKey(reader, found.get("key"), `${where}.${host}.key`, one.line);
    const other = key === undefined ? undefined : byKey.get(key);
    if (other !== undefined) reader.complain(one.line, `${where}.${host}.key: it is that of ${other}`);
    if (key === undefined) return [];
    byKey.set(key, host);
    return { host, key, rights: readRights(reader, found.get("rights"), `${where}.${host}.rights`) };
  });
}

function readKey(
  reader: ConfigReader,
  entry: Entry | undefined,
  where: string,
  line: number,
): string | undefined {
  const how = 'as "bellhop cluster status" prints it there';
  if (entry === undefined) {
    reader.complain(line, `${where} is missing: the key of that host, ${how}`);
    return undefined;
  }
  const key = reader.text(entry.value, where, entry.line);
  if (key === undefined || isHostKey(key)) return key;
  reader.complain(entry.line, `${where}: expected the key of that host, ${how}`);
  return undefined;
}

function readRights(reader: ConfigReader, entry: Entry | undefined, where: string): readonly HostRight[] {
  if (entry === undefined) return DEFAULT_HOST_RIGHTS;
  const items = reader.items(entry.value, where, entry.line, HOST_RIGHTS.length);
  const words = reader.words(items, where, entry.line, HOST_RIGHTS, "right");
  return HOST_RIGHTS.filter((right) => words.includes(right));
}
