/**
 * `bellhop cluster test`: each step of the way to the engine, with a connection of its own. It leaves nothing there but
 * the stamp by which the clock is read.
 */
import { type JetStreamManager, jetstream, jetstreamManager, type StreamInfo } from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import type { HostName } from "../core/cluster/hosts.ts";
import { present } from "../core/present.ts";
import type { Clock } from "../ports/clock.ts";
import type { NatsEngineOptions } from "./engine.ts";
import { answerCode, STREAM_MISSING } from "./jetstream-codes.ts";
import { bucketOf, bucketStreamOf } from "./layout.ts";
import { Servers } from "./servers.ts";
import { LEAST_PAYLOAD_BYTES } from "./session.ts";
import { requestTrouble } from "./trouble.ts";

export interface EngineCheck {
  readonly name: string;
  readonly verdict: "ok" | "warn" | "fail";
  readonly detail: string;
  /** What to do; absent if all is well. */
  readonly next?: string;
}

const ANSWERS_WITHIN_MS = 5_000;
/** Two hours do no harm (core/cluster/ages); a person wants to know earlier. */
const CLOCKS_AGREE_MS = 60_000;

type Options = Pick<
  NatsEngineOptions,
  "servers" | "credentials" | "tls" | "host" | "stream" | "domain" | "clock" | "random"
>;

/** Whether this host itself said it, under its name. */
type IsOwn = (announcement: Uint8Array) => boolean;

/** `isFinal`: a person must act first. */
type Found = EngineCheck & { readonly isFinal?: true };

/** Ends with what is in the way of everything after it. */
export async function engineChecks(options: Options, isOwn?: IsOwn): Promise<readonly EngineCheck[]> {
  return (await findings(options, isOwn)).map(({ isFinal: _, ...check }) => check);
}

/** What a person must mend before this host can join. */
export async function joinObstacle(options: Options, isOwn: IsOwn): Promise<EngineCheck | undefined> {
  const found = (await findings(options, isOwn)).find(({ isFinal }) => isFinal === true);
  if (found === undefined) return undefined;
  const { isFinal: _, ...check } = found;
  return check;
}

async function findings(options: Options, isOwn?: IsOwn): Promise<readonly Found[]> {
  const { clock, host } = options;
  const never = new AbortController().signal;
  const servers = new Servers(
    { ...options, name: `bellhop ${host} test` },
    clock,
    options.random ?? Math.random,
  );
  const before = clock.monotonic();
  let connection: NatsConnection;
  try {
    connection = await servers.connect(never);
  } catch (error) {
    return [refused("nats", error, WHEN_UNREACHABLE)];
  }
  try {
    const tookMs = Math.round(clock.monotonic() - before);
    const { version } = connection.info ?? { version: "?" };
    const server = connection.getServer();
    const connected = ok("nats", `connected to ${server} (version ${version}) in ${tookMs} ms`);
    return [
      connected,
      checkTls(connection, options),
      checkRoom(connection),
      ...(await inside(connection, options, isOwn)),
    ];
  } finally {
    await connection.close().catch(() => {});
  }
}

const WHEN_UNREACHABLE: Nexts = {
  refused:
    "Correct the section cluster in config.yaml: the server, credentials or ca_file. It is read again by itself.",
  otherwise:
    "Start the server, or correct cluster.nats in config.yaml. Until then messages for other hosts wait here.",
};

function checkTls(connection: NatsConnection, { servers, tls }: Options): EngineCheck {
  const { tls_required: required, tls_available: available } = connection.info ?? {};
  const isEncrypted =
    tls !== undefined || required === true || servers.every((one) => one.startsWith("tls://"));
  if (isEncrypted) return ok("tls", "the connection is encrypted");
  if (isOnThisMachine(connection.getServer()))
    return ok("tls", "none is needed: the server is on this machine");
  return {
    name: "tls",
    verdict: "warn",
    detail:
      "the connection is not encrypted: what travels is sealed, but names of hosts and the credentials are not",
    next:
      available === true
        ? "Write tls:// in place of nats:// in cluster.nats."
        : "Give the server a certificate, and write tls:// in cluster.nats; or keep it inside a private network.",
  };
}

function isOnThisMachine(server: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|::1)(?::\d+)?$/.test(server.replace(/^\w+:\/\//, ""));
}

function checkRoom({ info }: NatsConnection): Found {
  const largest = info?.max_payload ?? 0;
  if (largest >= LEAST_PAYLOAD_BYTES) return ok("max_payload", `${largest} bytes`);
  return {
    name: "max_payload",
    verdict: "fail",
    detail: `the server takes messages of ${largest} bytes at most, and Bellhop needs ${LEAST_PAYLOAD_BYTES}`,
    next: "Set max_payload: 1MB in the server's config.",
    isFinal: true,
  };
}

async function inside(
  connection: NatsConnection,
  options: Options,
  isOwn: IsOwn | undefined,
): Promise<readonly Found[]> {
  const { stream } = options;
  let manager: JetStreamManager;
  try {
    manager = await jetstreamManager(connection, { ...asking(options), checkAPI: true });
  } catch (error) {
    return [refused("jetstream", error, WITHOUT_JETSTREAM)];
  }
  const found: Found[] = [ok("jetstream", "enabled")];
  found.push(await checkStream(manager, "stream", stream));
  found.push(await checkStream(manager, "bucket", bucketStreamOf(stream)));
  if (found.some(({ verdict }) => verdict === "fail")) return found;
  return [...found, ...(await stored(connection, manager, options, isOwn))];
}

function asking({ domain }: Pick<Options, "domain">) {
  return { timeout: ANSWERS_WITHIN_MS, ...present({ domain }) };
}

const WITHOUT_JETSTREAM: Nexts = {
  refused: "Enable JetStream for this account on the server.",
  otherwise:
    "Put this into the server's config, and restart it: jetstream { store_dir: /var/lib/nats }. If JetStream is on another server, of which this is a leaf node, name its domain: bellhop cluster join --domain NAME, or cluster.nats.domain in config.yaml.",
};

async function checkStream(manager: JetStreamManager, name: string, stream: string): Promise<Found> {
  let info: StreamInfo;
  try {
    info = await manager.streams.info(stream);
  } catch (error) {
    if (answerCode(error) === STREAM_MISSING) return ok(name, `${stream} is not there yet: Bellhop makes it`);
    return refused(name, error, {
      otherwise: "If it lasts, look at the servers: a majority of them must run.",
    });
  }
  const copies = info.config.num_replicas;
  const { messages, bytes } = info.state;
  const { cluster } = info;
  if (cluster !== undefined && (cluster.leader ?? "") === "")
    return {
      name,
      verdict: "fail",
      detail: `${stream} has no leader`,
      next: "A majority of its servers must run.",
    };
  const detail = `${stream}: ${copies} ${copies === 1 ? "copy" : "copies"}, ${messages} stored (${bytes} bytes)`;
  // Of a server that stands alone, there is no other place for a copy.
  if (cluster?.name === undefined || copies >= 3) return ok(name, detail);
  return {
    name,
    verdict: "warn",
    detail,
    next: `With one copy, what is under way is lost with the disk of ${cluster.leader}. With three servers Bellhop makes three of its own one; if it does not: nats stream edit ${stream} --replicas 3`,
  };
}

/** What a host says of itself is stored like a bag; this is what only the clock is read by. */
async function stored(
  connection: NatsConnection,
  manager: JetStreamManager,
  { clock, host, stream, domain }: Options,
  isOwn: IsOwn | undefined,
): Promise<readonly Found[]> {
  try {
    await manager.streams.info(bucketStreamOf(stream));
  } catch {
    return [];
  }
  try {
    const client = jetstream(connection, asking({ domain }));
    const bucket = await new Kvm(client).open(bucketOf(stream));
    const name = isOwn === undefined ? [] : [await checkName(bucket, host, isOwn)];
    const [began, at] = [clock.monotonic(), clock.now()];
    const seq = await bucket.put(`clock.${host}`, "");
    const tookMs = clock.monotonic() - began;
    const kept = await manager.streams.getMessage(bucketStreamOf(stream), { seq });
    const time = ok("store", `stored in ${tookMs.toFixed(1)} ms`);
    return [...name, time, ...(kept === null ? [] : [checkClock(kept.time.getTime(), at + tookMs / 2)])];
  } catch (error) {
    return [refused("store", error, { otherwise: "If it lasts, look at the log of the server." })];
  }
}

async function checkName(bucket: KV, host: HostName, isOwn: IsOwn): Promise<Found> {
  const entry = await bucket.get(host);
  if (entry?.operation !== "PUT") return ok("name", `${host}: nobody else has it`);
  if (isOwn(entry.value)) return ok("name", `${host} is this host`);
  return {
    name: "name",
    verdict: "fail",
    detail: `another machine is in this cluster as ${host}`,
    next: "Choose another name (--host, or cluster.host in config.yaml). If it was this machine, with a key that is gone, wait: that is over within two and a half minutes.",
    isFinal: true,
  };
}

export function checkClock(engineMs: number, ownMs: ReturnType<Clock["now"]>): EngineCheck {
  const aheadMs = ownMs - engineMs;
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  if (Math.abs(aheadMs) < CLOCKS_AGREE_MS)
    return ok(
      "clock",
      seconds === 0 ? "as the server's" : `${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} the server's`,
    );
  return {
    name: "clock",
    verdict: "warn",
    detail: `this machine's clock is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} the server's`,
    next: "Set it (timedatectl set-ntp true). Up to two hours only the times that you read are wrong; beyond that, timeouts come early or late, and at 25 days messages are refused.",
  };
}

interface Nexts {
  /** If the server, or its account, refused. */
  readonly refused?: string;
  readonly otherwise: string;
}

function refused(name: string, error: unknown, next: Nexts): Found {
  const { words, retry } = requestTrouble(error);
  return {
    name,
    verdict: "fail",
    detail: words,
    next: (retry === "rarely" ? next.refused : undefined) ?? next.otherwise,
    ...(retry === "rarely" ? { isFinal: true as const } : {}),
  };
}

function ok(name: string, detail: string): EngineCheck {
  return { name, verdict: "ok", detail };
}
