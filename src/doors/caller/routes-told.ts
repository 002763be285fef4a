/** The routes that one caller is told of, in any protocol: from the answer to its request until it ends. */
import type { Routed } from "../../wire/shapes/broker.ts";

export class RoutesTold {
  readonly #write: (routed: Routed) => unknown;
  #stop: () => void = () => {};
  #state: "waiting" | "telling" | "closed" = "waiting";

  constructor(write: (routed: Routed) => unknown) {
    this.#write = write;
  }

  tell(routed: Routed): void {
    if (this.#state === "telling") this.#write(routed);
  }

  /** The caller has been answered. */
  begin(): void {
    if (this.#state === "waiting") this.#state = "telling";
  }

  close(): void {
    this.#state = "closed";
    this.#stop();
    this.#stop = () => {};
  }

  /** Sets how to stop the source. */
  onClose(stop: () => void): void {
    this.#stop = stop;
    if (this.#state === "closed") this.close();
  }
}
