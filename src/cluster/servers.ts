/** Connects to one of the configured servers: each in turn, and last those that did not let us in a moment ago. */
import { isIP } from "node:net";
import {
  type Authenticator,
  connect,
  type NatsConnection,
  type NodeConnectionOptions,
} from "@nats-io/transport-node";
import { BellhopError } from "../core/errors.ts";
import type { Clock } from "../ports/clock.ts";
import { authenticatorFrom } from "./credentials.ts";
import { connectTrouble, EngineTrouble, type Trouble } from "./trouble.ts";
import { trustedIn } from "./trusted.ts";

export interface EngineTls {
  /** Certificates to trust, in place of the system's. */
  readonly caFile?: string;
}

export interface ServersOptions {
  readonly servers: readonly string[];
  /** What the server wants to know. Read at each attempt: a file that was replaced takes effect. Throws with words. */
  readonly credentials?: (() => string) | undefined;
  readonly tls?: EngineTls | undefined;
  /** How this host is named in the server's own reports. */
  readonly name: string;
}

const CONNECT_DEADLINE_MS = 5_000;
/** Two unanswered in a row end the connection. */
const PING_MS = 5_000;
/** So long a server that could not be reached is tried only after the others. */
const AVOIDED_MS = 30_000;

interface Address {
  readonly shown: string;
  readonly isTls: boolean;
  /** Left to itself, the client expects the certificate of `localhost` of a server that has no name. */
  readonly certified: { readonly host?: string };
}

export class Servers {
  readonly #options: ServersOptions;
  readonly #clock: Clock;
  readonly #addresses: readonly Address[];
  readonly #failedAt = new Map<Address, number>();
  #next: number;

  constructor(options: ServersOptions, clock: Clock, random: () => number) {
    this.#options = options;
    this.#clock = clock;
    this.#addresses = options.servers.map(addressOf);
    // Hosts with the same list do not all begin with the same server.
    this.#next = Math.floor(random() * this.#addresses.length);
  }

  /** Rejects with an `EngineTrouble` if none of them lets us in. */
  async connect(signal: AbortSignal): Promise<NatsConnection> {
    const troubles: Trouble[] = [];
    for (const address of this.#inOrder()) {
      if (signal.aborted) break;
      this.#next = this.#addresses.indexOf(address) + 1;
      try {
        const connection = await this.#connectTo(address);
        this.#failedAt.delete(address);
        return connection;
      } catch (error) {
        this.#failedAt.set(address, this.#clock.monotonic());
        troubles.push(connectTrouble(error, address.shown));
      }
    }
    throw worst(troubles);
  }

  #inOrder(): readonly Address[] {
    const now = this.#clock.monotonic();
    const turns = [...this.#addresses.slice(this.#next), ...this.#addresses.slice(0, this.#next)];
    const isAvoided = (address: Address): boolean =>
      now - (this.#failedAt.get(address) ?? Number.NEGATIVE_INFINITY) < AVOIDED_MS;
    return [...turns.filter((one) => !isAvoided(one)), ...turns.filter(isAvoided)];
  }

  async #connectTo(address: Address): Promise<NatsConnection> {
    const { name } = this.#options;
    const tls = await this.#tls(address);
    const authenticator = this.#authenticator();
    const options: NodeConnectionOptions = {
      servers: [address.shown],
      name,
      // A new connection begins anew with everything, and may reach another server: the old one may be cut off.
      reconnect: false,
      ignoreClusterUpdates: true,
      timeout: CONNECT_DEADLINE_MS,
      pingInterval: PING_MS,
      noAsyncTraces: true,
      ...(authenticator === undefined ? {} : { authenticator }),
      ...(tls === undefined ? {} : { tls }),
    };
    return connect(options);
  }

  /** Once it is said that there must be TLS, no server talks the client out of it. */
  async #tls({ isTls, certified }: Address): Promise<NodeConnectionOptions["tls"]> {
    const { tls } = this.#options;
    if (!isTls && tls === undefined) return undefined;
    const caFile = tls?.caFile;
    return { ...certified, ...(caFile === undefined ? {} : { ca: await trustedIn(caFile) }) };
  }

  #authenticator(): Authenticator | undefined {
    const { credentials } = this.#options;
    try {
      return credentials && authenticatorFrom(credentials());
    } catch (cause) {
      throw new EngineTrouble(`the credentials cannot be used: ${wordsOf(cause)}`, "rarely");
    }
  }
}

function wordsOf(cause: unknown): string {
  if (cause instanceof BellhopError) return `${cause.message} ${cause.next}`;
  return cause instanceof Error ? cause.message : String(cause);
}

/** What a person can do something about comes first; then what was found last. */
function worst(troubles: readonly Trouble[]): EngineTrouble {
  const found = troubles.find(({ retry }) => retry === "rarely") ?? troubles.at(-1);
  return new EngineTrouble(found?.words ?? "no server is configured", found?.retry ?? "rarely");
}

/** `host`, `host:port`, `nats://host:port`, `tls://host`. What stands here is shown, so a secret may not. */
function addressOf(text: string): Address {
  const [, scheme = "nats", rest = ""] = /^(?:([a-z]+):\/\/)?(.*)$/iu.exec(text.trim()) ?? [];
  if (rest.includes("@"))
    throw new BellhopError("config.invalid", {
      message: "The address of a NATS server has a name, a password or a token in it.",
      next: "Put that into a file which nobody else may read, and name the file in cluster.credentials.",
    });
  const place = rest.replace(/\/+$/u, "");
  const bare = /^\[(.*)\]/u.exec(place)?.[1] ?? place.replace(/:\d+$/u, "");
  const isTls = scheme.toLowerCase() === "tls";
  return {
    shown: `${isTls ? "tls" : "nats"}://${place}`,
    isTls,
    certified: isIP(bare) === 0 ? {} : { host: bare },
  };
}
