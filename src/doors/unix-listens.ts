/** What one caller on the Unix socket listens to, each under the `req_id` it was begun with. */
import { BellhopError } from "../core/errors.ts";
import { toSnake } from "../wire/casing.ts";
import type { BrokerMessage, ListenRequest } from "../wire/shapes/broker.ts";
import type { Streams } from "../wire/shapes.ts";
import { Listen, type Push, WRITTEN } from "./listen.ts";
import type { Outlet } from "./outlet.ts";
import type { ReqId } from "./unix-envelope.ts";

export interface UnixListensParts {
  readonly streams: Streams;
  readonly outlet: Outlet;
  /** Mailboxes that one connection may listen to. */
  readonly most: number;
}

export class UnixListens {
  readonly #parts: UnixListensParts;
  readonly #open = new Map<ReqId, Listen>();
  #over = false;

  constructor(parts: UnixListensParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#open.size;
  }

  async open(reqId: ReqId | undefined, request: ListenRequest): Promise<Listen> {
    const { streams, most } = this.#parts;
    if (reqId === undefined) throw unnamed();
    if (this.#open.has(reqId)) throw taken(reqId);
    if (this.#open.size >= most) throw tooMany(most);
    const listen = new Listen(
      streams,
      request,
      request.consume === true ? this.#handing(reqId) : this.#telling(reqId),
    );
    this.#open.set(reqId, listen);
    if (this.#over) this.closeAll();
    try {
      await listen.opened;
    } catch (error) {
      this.#open.delete(reqId);
      throw error;
    }
    return listen;
  }

  close(reqId: ReqId): { readonly listen: ReqId } {
    const listen = this.#open.get(reqId);
    if (listen === undefined) throw unknown(reqId);
    this.#open.delete(reqId);
    listen.close();
    return { listen: reqId };
  }

  closeAll(): void {
    this.#over = true;
    for (const listen of this.#open.values()) listen.close();
    this.#open.clear();
  }

  #telling(reqId: ReqId): Push {
    const { outlet } = this.#parts;
    const line = lineFor(reqId);
    return (message) => (outlet.write(line(message)) === "gone" ? "gone" : WRITTEN);
  }

  /** Waits for room instead of being cut off. What the system has taken counts: nothing here answers by itself. */
  #handing(reqId: ReqId): Push {
    const { outlet } = this.#parts;
    const line = lineFor(reqId);
    return async (message) => {
      while (outlet.isOpen && !outlet.hasRoom) await outlet.drained();
      return new Promise<"written" | "gone">((resolve) => {
        if (outlet.write(line(message), resolve) === "gone") resolve("gone");
      });
    };
  }
}

const texts = new WeakMap<BrokerMessage, string>();

/** Made once for however many hear it. */
function textOf(message: BrokerMessage): string {
  const known = texts.get(message);
  if (known !== undefined) return known;
  const text = JSON.stringify(toSnake(message));
  texts.set(message, text);
  return text;
}

function lineFor(reqId: ReqId): (message: BrokerMessage) => string {
  const head = `{"type":"push","req_id":${JSON.stringify(reqId)},"message":`;
  return (message) => `${head}${textOf(message)}}\n`;
}

function unnamed(): BellhopError {
  return new BellhopError("request.malformed", {
    message: '"listen" needs a "req_id": what is heard is told by it.',
    next: 'Add one, such as "req_id": 1.',
  });
}

function taken(reqId: ReqId): BellhopError {
  return new BellhopError("request.malformed", {
    message: `This connection listens under ${JSON.stringify(reqId)} already.`,
    next: 'Choose another "req_id".',
  });
}

function unknown(reqId: ReqId): BellhopError {
  return new BellhopError("request.malformed", {
    message: `This connection does not listen under ${JSON.stringify(reqId)}.`,
    next: 'Name the "req_id" of the "listen".',
  });
}

function tooMany(most: number): BellhopError {
  return new BellhopError("listener.too_many", {
    message: `This connection listens to ${most} mailboxes already.`,
    next: "Open another connection, or end some with unlisten.",
  });
}
