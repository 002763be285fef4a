/**
 * Tells whoever asked of every message that found a recipient, once it is on disk. The doors open and close it; accept
 * feeds it. It keeps nothing: who was not there has missed it.
 */

import type { Address, Delivery, Message } from "../../core/message.ts";
import type { Routed } from "../../wire/shapes/broker.ts";

interface Came {
  readonly message: Message;
  readonly deliveries: readonly Delivery[];
}

type Ear = (routed: Routed) => void;

export class Routes {
  readonly #ears = new Set<Ear>();
  readonly #ownerOf: (mailbox: Address) => Address;

  constructor(ownerOf: (mailbox: Address) => Address) {
    this.#ownerOf = ownerOf;
  }

  open(hear: Ear): { close(): void } {
    // An ear of its own for each request: the same function may be given twice.
    const ear: Ear = (routed) => hear(routed);
    this.#ears.add(ear);
    return { close: () => void this.#ears.delete(ear) };
  }

  came({ message, deliveries }: Came): void {
    const [first] = deliveries;
    if (this.#ears.size === 0 || first === undefined) return;
    const { id: messageId, from, to } = message;
    const routed: Routed = {
      messageId,
      from,
      to,
      deliveredTo: deliveries.map((delivery) => delivery.to),
      owners: deliveries.flatMap((one) => (one.handledBy === undefined ? [this.#ownerOf(one.to)] : [])),
      at: first.queuedAt,
    };
    for (const ear of this.#ears) ear(routed);
  }
}
