/** What one WebSocket listens to. All of it ends with the connection. */
import { BellhopError } from "../core/errors.ts";
import type { BrokerMessage, ListenRequest } from "../wire/shapes/broker.ts";
import type { Streams } from "../wire/shapes.ts";
import { Listen, type Push, WRITTEN } from "./listen.ts";
import type { Outlet } from "./outlet.ts";
import type { Receipts } from "./ws-receipts.ts";

export interface ListensParts {
  readonly streams: Streams;
  readonly outlet: Outlet;
  readonly receipts: Receipts;
  /** Mailboxes that one connection may listen to. */
  readonly most: number;
}

export class Listens {
  readonly #parts: ListensParts;
  readonly #open = new Map<string, Listen>();
  #over = false;

  constructor(parts: ListensParts) {
    this.#parts = parts;
  }

  /** Asked twice, it is heard once. */
  async open(request: ListenRequest, frameOf: (message: BrokerMessage) => Buffer): Promise<Listen> {
    const key = JSON.stringify([request.agent, request.session ?? null]);
    const known = this.#open.get(key);
    const listen =
      known !== undefined && known.consume === (request.consume === true)
        ? known
        : this.#replace(known, key, request, frameOf);
    if (this.#over) this.closeAll();
    try {
      await listen.opened;
    } catch (error) {
      if (this.#open.get(key) === listen) this.#open.delete(key);
      throw error;
    }
    return listen;
  }

  closeAll(): void {
    this.#over = true;
    for (const listen of this.#open.values()) listen.close();
    this.#open.clear();
  }

  #replace(
    known: Listen | undefined,
    key: string,
    request: ListenRequest,
    frameOf: (message: BrokerMessage) => Buffer,
  ): Listen {
    const { streams, most } = this.#parts;
    if (known === undefined && this.#open.size >= most) throw tooMany(most);
    known?.close();
    const push = request.consume === true ? this.#handing(frameOf) : this.#telling(frameOf);
    const listen = new Listen(streams, request, push);
    this.#open.set(key, listen);
    return listen;
  }

  #telling(frameOf: (message: BrokerMessage) => Buffer): Push {
    const { outlet } = this.#parts;
    return (message) => (outlet.write(frameOf(message)) === "gone" ? "gone" : WRITTEN);
  }

  /** Waits for room instead of being cut off: what is handed over and confirmed never piles up. */
  #handing(frameOf: (message: BrokerMessage) => Buffer): Push {
    const { outlet, receipts } = this.#parts;
    return async (message) => {
      while (outlet.isOpen && !outlet.hasRoom) await outlet.drained();
      return outlet.write(frameOf(message)) === "gone" ? "gone" : receipts.confirmed();
    };
  }
}

function tooMany(most: number): BellhopError {
  return new BellhopError("listener.too_many", {
    message: `This connection listens to ${most} mailboxes already.`,
    next: "Open another connection.",
  });
}
