/** Whom one caller on the Unix socket follows, each under the `req_id` it was begun with. Only the newest counts. */
import type { BellhopError } from "../../core/errors.ts";
import { toSnake } from "../../wire/casing.ts";
import { jsonLine } from "../../wire/lines.ts";
import type { Claims } from "../../wire/verbs/claims.ts";
import type { FollowRequest } from "../../wire/verbs/sessions.ts";
import type { FollowEar, Followed, Streams } from "../../wire/verbs/streams.ts";
import type { Outlet } from "../caller/outlet.ts";
import type { ReqId } from "./envelope.ts";
import { type StreamWords, UnixStreams } from "./streams.ts";

export interface UnixFollowsParts {
  readonly streams: Streams;
  readonly outlet: Outlet;
  readonly most: number;
  /** There is no more to tell of it. */
  over(reqId: ReqId, error: BellhopError): void;
}

const WORDS: StreamWords = { begin: "follow", end: "unfollow", does: "follows", many: "agents" };

export class UnixFollows {
  readonly #parts: UnixFollowsParts;
  readonly #open: UnixStreams<Newest>;

  constructor(parts: UnixFollowsParts) {
    this.#parts = parts;
    this.#open = new UnixStreams(parts.most, WORDS);
  }

  get size(): number {
    return this.#open.size;
  }

  /** `begin` is to be called once the caller has been answered: an answer comes before what follows it. */
  async open(
    asked: ReqId | undefined,
    request: FollowRequest,
    claims: Claims,
  ): Promise<{ readonly agent?: string; begin(): void }> {
    const { streams, outlet, over } = this.#parts;
    const reqId = this.#open.place(asked);
    const newest = new Newest(reqId, outlet);
    this.#open.add(reqId, newest);
    try {
      const ear: FollowEar = {
        hear: (followed) => newest.tell(followed),
        over: (error) => {
          this.#open.remove(reqId);
          newest.close();
          over(reqId, error);
        },
      };
      const { close, ...whom } = await streams.follow(request, ear, claims);
      newest.onClose(close);
      return { ...whom, begin: () => newest.begin() };
    } catch (error) {
      this.#open.remove(reqId);
      throw error;
    }
  }

  close(reqId: ReqId): { readonly follow: ReqId } {
    this.#open.close(reqId);
    return { follow: reqId };
  }

  closeAll(): void {
    this.#open.closeAll();
  }
}

/** A reader who is slow misses what was in between, and is never cut off for it. */
class Newest {
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

  /** How what feeds it is stopped. */
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
