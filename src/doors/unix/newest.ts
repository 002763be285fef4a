/** Updates for a caller on the Unix socket about what it follows, under the `req_id` of the follow request. */
import { toSnake } from "../../wire/casing.ts";
import { jsonLine } from "../../wire/lines.ts";
import type { Followed } from "../../wire/verbs/streams.ts";
import type { Outlet } from "../caller/outlet.ts";
import type { ReqId } from "./envelope.ts";

/** Only the newest counts. A slow reader misses the states in between, but is never disconnected for that. */
export class Newest {
  readonly #reqId: ReqId;
  readonly #outlet: Outlet;
  #followed: Followed | undefined;
  #stop: () => void = () => {};
  #state: "waiting" | "telling" | "draining" | "closed" = "waiting";

  constructor(reqId: ReqId, outlet: Outlet) {
    this.#reqId = reqId;
    this.#outlet = outlet;
  }

  tell(followed: Followed): void {
    this.#followed = followed;
    this.#say();
  }

  begin(): void {
    if (this.#state === "waiting") this.#state = "telling";
    this.#say();
  }

  close(): void {
    this.#state = "closed";
    this.#stop();
    this.#stop = () => {};
  }

  /** Sets how to stop the source of updates. */
  onClose(stop: () => void): void {
    this.#stop = stop;
    if (this.#state === "closed") this.close();
  }

  #say(): void {
    if (this.#state !== "telling" || this.#followed === undefined) return;
    if (!this.#outlet.isOpen) return;
    if (!this.#outlet.hasRoom) {
      this.#state = "draining";
      void this.#outlet.drained().then(() => {
        if (this.#state === "draining") this.#state = "telling";
        this.#say();
      });
      return;
    }
    const followed = this.#followed;
    this.#followed = undefined;
    this.#outlet.write(jsonLine(toSnake({ type: "push", reqId: this.#reqId, ...followed })));
  }
}
