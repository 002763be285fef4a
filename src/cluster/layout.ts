/** What Bellhop has in the engine: a stream of bags, a consumer for each host, a bucket with what hosts say of themselves. */
import {
  AckPolicy,
  type ConsumerInfo,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import type { HostName } from "../core/cluster/hosts.ts";
import { described } from "./copies.ts";
import { answerCode, CONSUMER_MISSING, NAME_TAKEN, orMissing, STREAM_MISSING } from "./jetstream-codes.ts";
import { LEASE_MS, NAMES_KEPT_MS } from "./times.ts";
import { EngineTrouble, NO_LEADER } from "./trouble.ts";

/** How long a host may have a bag in its hands without a sign of life. */
const ACK_WAIT_MS = 5_000;
/** So many wait for one host: one that is away for long must not fill the server for all others. */
export const MOST_BAGS = 5_000;
const LONGEST_STAY_MS = 14 * 86_400_000;

export function subjectOf(stream: string, host: HostName): string {
  return `${stream}.to.${host}`;
}

export function bucketOf(stream: string): string {
  return `${stream}-hosts`;
}

/** A bucket is a stream too. */
export function bucketStreamOf(stream: string): string {
  return `KV_${bucketOf(stream)}`;
}

/** Made if it is missing, and not changed here, because somebody may have made it otherwise on purpose. */
export async function ensureStream(
  manager: JetStreamManager,
  stream: string,
  copies: number,
): Promise<StreamInfo> {
  const subjects = [subjectOf(stream, "*")];
  const found = await orMissing(manager.streams.info(stream), STREAM_MISSING);
  const info =
    found ??
    (await manager.streams
      .add({
        name: stream,
        description: described("Bags between Bellhop hosts", copies),
        subjects,
        retention: RetentionPolicy.Workqueue,
        storage: StorageType.File,
        discard: DiscardPolicy.New,
        max_msgs_per_subject: MOST_BAGS,
        discard_new_per_subject: true,
        num_replicas: copies,
        max_age: nanos(LONGEST_STAY_MS),
        duplicate_window: nanos(NAMES_KEPT_MS),
      })
      // Another host was faster, and meant it a little otherwise.
      .catch((error: unknown) => {
        if (answerCode(error) !== NAME_TAKEN) throw error;
        return manager.streams.info(stream);
      }));
  const { subjects: has = [], retention } = info.config;
  if (retention !== RetentionPolicy.Workqueue || !subjects.every((subject) => has.includes(subject)))
    throw new EngineTrouble(`the stream "${stream}" on the server is not one of Bellhop's`, "rarely");
  return led(info);
}

/** A stream without a leader stores nothing. */
export function led(info: StreamInfo): StreamInfo {
  if (info.cluster !== undefined && (info.cluster.leader ?? "") === "")
    throw new EngineTrouble(NO_LEADER.words, NO_LEADER.retry);
  return info;
}

/** It hands out one bag, and the next one only when that is taken: so their order is kept, also by what comes again. */
export async function ensureConsumer(
  manager: JetStreamManager,
  stream: string,
  host: HostName,
): Promise<ConsumerInfo> {
  const found = await orMissing(manager.consumers.info(stream, host), CONSUMER_MISSING);
  if (found !== undefined) return found;
  return manager.consumers.add(stream, {
    durable_name: host,
    filter_subject: subjectOf(stream, host),
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: 1,
    max_deliver: -1,
  });
}

/**
 * A bag that was handed to us before this connection, and is in nobody's hands any more, comes again at once: left to
 * itself the server waits for a sign of life, and everything behind that bag with it. Only we take from this consumer.
 */
export function askBack(connection: NatsConnection, { stream_name, name, ...info }: ConsumerInfo): void {
  if (info.num_ack_pending === 0) return;
  const { stream_seq, consumer_seq } = info.delivered;
  // As the server names the place where it hears what became of a bag: its tries, numbers, time and what is behind it.
  connection.publish(`$JS.ACK.${stream_name}.${name}.1.${stream_seq}.${consumer_seq}.0.0`, "-NAK");
}

export async function ensureBucket(
  client: JetStreamClient,
  manager: JetStreamManager,
  stream: string,
  copies: number,
): Promise<KV> {
  const buckets = new Kvm(client);
  const found = await orMissing(manager.streams.info(bucketStreamOf(stream)), STREAM_MISSING);
  if (found !== undefined) {
    led(found);
    return buckets.open(bucketOf(stream));
  }
  return buckets.create(bucketOf(stream), {
    description: described("What Bellhop hosts say of themselves", copies),
    history: 1,
    ttl: LEASE_MS,
    replicas: copies,
    storage: StorageType.File,
  });
}
