/**
 * Hears what hosts say of themselves: what stands in the bucket, then every change. Not by the bucket's own way of
 * watching it, which notices only after a minute that nothing comes any more.
 */
import { type ConsumerMessages, DeliverPolicy, type JetStreamClient, type JsMsg } from "@nats-io/jetstream";
import { type HostName, isHostName } from "../core/cluster/hosts.ts";
import { bucketOf, bucketStreamOf } from "./layout.ts";

export interface Said {
  readonly host: HostName;
  /** Undefined: it left. */
  readonly bytes: Uint8Array | undefined;
  /** When, by the engine's clock. */
  readonly at: number;
  readonly revision: number;
}

/** How long one question for changes stands. */
const QUESTION_MS = 30_000;
/** Two missed signs mean that nobody answers. */
const SIGN_MS = 5_000;
const MOST_AT_ONCE = 500;
/** The server forgets so soon who does not ask any more. */
const FORGOTTEN_AFTER_MS = 60_000;
const NANOS_PER_MS = 1_000_000n;
const SILENCE: readonly string[] = [
  "heartbeats_missed",
  "consumer_deleted",
  "consumer_not_found",
  "stream_not_found",
];

export class Hearing {
  readonly #heard: ConsumerMessages;
  /** Resolves when nothing is heard any more. */
  readonly ended: Promise<void>;

  private constructor(heard: ConsumerMessages, prefix: string, said: (said: Said) => void) {
    this.#heard = heard;
    this.ended = Promise.race([this.#hear(prefix, said), this.#silence()]).catch(() => {});
  }

  static async open(client: JetStreamClient, stream: string, said: (said: Said) => void): Promise<Hearing> {
    const prefix = `$KV.${bucketOf(stream)}.`;
    const consumer = await client.consumers.get(bucketStreamOf(stream), {
      filter_subjects: `${prefix}*`,
      deliver_policy: DeliverPolicy.LastPerSubject,
      inactive_threshold: FORGOTTEN_AFTER_MS,
    });
    const heard = await consumer.consume({
      max_messages: MOST_AT_ONCE,
      expires: QUESTION_MS,
      idle_heartbeat: SIGN_MS,
    });
    return new Hearing(heard, prefix, said);
  }

  stop(): void {
    this.#heard.stop();
  }

  async #hear(prefix: string, said: (said: Said) => void): Promise<void> {
    for await (const message of this.#heard) {
      const host = message.subject.slice(prefix.length);
      if (isHostName(host)) said(saidIn(message, host));
    }
  }

  async #silence(): Promise<void> {
    for await (const { type } of this.#heard.status()) if (SILENCE.includes(type)) return;
  }
}

function saidIn(message: JsMsg, host: HostName): Said {
  const isThere = (message.headers?.get("KV-Operation") ?? "") === "";
  return {
    host,
    bytes: isThere ? message.data : undefined,
    at: Number(message.timestampNanos / NANOS_PER_MS),
    revision: message.seq,
  };
}
