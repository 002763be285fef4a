/** How many copies the engine keeps of what Bellhop has there: three, as soon as there are three servers for them. */
import type { JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type Backoff, backoffMs } from "../core/time/backoff.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { requestTrouble } from "./trouble.ts";

const MOST = 3;
/** A server that has just come may not be ready for them yet. */
const AGAIN: Backoff = { firstMs: 5_000, longestMs: 600_000 };
/** In its description, where whoever looks after the server sees it, and may take it away. */
const SO_FAR = " (one copy, until there are three servers)";

/** Three in a cluster that has so many servers: any one of them may be lost. */
export function copiesIn({ info }: NatsConnection): number {
  return info?.cluster !== undefined && (info.connect_urls?.length ?? 0) >= MOST ? MOST : 1;
}

export function described(words: string, copies: number): string {
  return copies < MOST ? `${words}${SO_FAR}` : words;
}

/** Only what was made with one copy for want of servers gets more: whatever somebody chose otherwise stays as it is. */
export async function raiseCopies(manager: JetStreamManager, streams: readonly string[]): Promise<void> {
  for (const stream of streams) {
    const { num_replicas: copies, description = "" } = (await manager.streams.info(stream)).config;
    if (copies !== 1 || !description.endsWith(SO_FAR)) continue;
    const words = description.slice(0, -SO_FAR.length);
    await manager.streams.update(stream, { num_replicas: MOST, description: words });
  }
}

export interface CopiesParts {
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  readonly streams: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/** For one connection. If it fails, everything goes on with one copy, as before. */
export class Copies {
  readonly #parts: CopiesParts;
  #failures = 0;
  /** Monotonic. */
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(parts: CopiesParts) {
    this.#parts = parts;
  }

  /** To be called now and then: servers come later, too. */
  look(): void {
    const { connection, manager, streams, clock, log } = this.#parts;
    if (clock.monotonic() < this.#nextAt || copiesIn(connection) < MOST) return;
    // Once it is done, it is done for this connection.
    this.#nextAt = Number.POSITIVE_INFINITY;
    raiseCopies(manager, streams).catch((error: unknown) => {
      this.#nextAt = clock.monotonic() + backoffMs(AGAIN, this.#failures);
      this.#failures += 1;
      if (this.#failures === 1)
        log.warn("the cluster's engine keeps one copy, and not three", { why: requestTrouble(error).words });
    });
  }
}
