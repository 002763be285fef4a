/**
 * Tells whoever asked of every message that found a recipient, once it is on disk. The doors open and close it; accept
 * feeds it. It keeps nothing: who was not there has missed it.
 */

import type { Delivery, Message } from "../../core/message.ts";
import type { Routed } from "../../wire/shapes/broker.ts";

interface Came {
  readonly message: Message;
  readonly deliveries: readonly Delivery[];
}

type Ear = (routed: Routed) => void;

export class Routes {
  readonly #ears = new Set<Ear>();

  open(hear: Ear): { close(): void } {
    // An ear of its own for each request: the same function may be given twice.
    const ear: Ear = (routed) => hear(routed);
    this.#ears.add(ear);
    return { close: () => void this.#ears.delete(ear) };
  }

  came({ message, deliveries }: Came): void {
    if (this.#ears.size === 0 || deliveries.length === 0) return;
    const { id: messageId, from, to } = message;
    const routed: Routed = { messageId, from, to, deliveredTo: deliveries.map((delivery) => delivery.to) };
    for (const ear of this.#ears) ear(routed);
  }
}
