/** What one caller on the Unix socket listens to, each under the `req_id` it was begun with. */
import { toSnake } from "../../wire/casing.ts";
import type { BrokerMessage } from "../../wire/shapes/broker.ts";
import type { ListenRequest } from "../../wire/verbs/broker.ts";
import type { Streams } from "../../wire/verbs/streams.ts";
import { Listen, type Push, WRITTEN } from "../caller/listener.ts";
import type { Outlet } from "../caller/outlet.ts";
import type { ReqId } from "./envelope.ts";
import { type StreamWords, UnixStreams } from "./streams.ts";

export interface UnixListensParts {
  readonly streams: Streams;
  readonly outlet: Outlet;
  /** Mailboxes that one connection may listen to. */
  readonly most: number;
}

const WORDS: StreamWords = { begin: "listen", end: "unlisten", does: "listens", many: "mailboxes" };

export class UnixListens {
  readonly #parts: UnixListensParts;
  readonly #open: UnixStreams<Listen>;

  constructor(parts: UnixListensParts) {
    this.#parts = parts;
    this.#open = new UnixStreams(parts.most, WORDS);
  }

  get size(): number {
    return this.#open.size;
  }

  async open(asked: ReqId | undefined, request: ListenRequest): Promise<Listen> {
    const reqId = this.#open.place(asked);
    const push = request.consume === true ? this.#handing(reqId) : this.#telling(reqId);
    const listen = new Listen(this.#parts.streams, request, push);
    this.#open.add(reqId, listen);
    try {
      await listen.opened;
    } catch (error) {
      this.#open.remove(reqId);
      throw error;
    }
    return listen;
  }

  close(reqId: ReqId): { readonly listen: ReqId } {
    this.#open.close(reqId);
    return { listen: reqId };
  }

  closeAll(): void {
    this.#open.closeAll();
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
