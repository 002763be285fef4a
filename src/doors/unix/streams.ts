/** What one caller on the Unix socket has started and not ended, by the `req_id` of the request that started it. */
import { BellhopError } from "../../core/errors.ts";
import { malformed } from "../../wire/lines.ts";
import type { ReqId } from "./envelope.ts";

/** How requests and sentences name it: "this connection …". */
const WORDS = {
  listen: { end: "unlisten", does: "listens", many: "mailboxes" },
  follow: { end: "unfollow", does: "follows", many: "agents" },
  routes: { end: "unroutes", does: "listens", many: "routes" },
  watch_all: { end: "unwatch_all", does: "listens", many: "boards" },
} as const;

export class UnixStreams<Stream extends { close(): void }> {
  readonly #most: number;
  readonly #begin: keyof typeof WORDS;
  readonly #open = new Map<ReqId, Stream>();
  #state: "open" | "over" = "open";

  constructor(begin: keyof typeof WORDS, most: number) {
    this.#begin = begin;
    this.#most = most;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Throws if the id is missing or in use, or there are too many. */
  place(reqId: ReqId | undefined): ReqId {
    const { end, does, many } = WORDS[this.#begin];
    if (reqId === undefined) {
      throw malformed(
        `"${this.#begin}" needs a "req_id": the events that follow carry it.`,
        'Add one, such as "req_id": 1.',
      );
    }
    if (this.#open.has(reqId)) {
      throw malformed(
        `This connection already ${does} under ${JSON.stringify(reqId)}.`,
        'Choose another "req_id".',
      );
    }
    if (this.#open.size < this.#most) return reqId;
    throw new BellhopError("listener.too_many", {
      message: `This connection already ${does} to ${this.#most} ${many}.`,
      next: `Open another connection, or end some with ${end}.`,
    });
  }

  /** Keeps it unless it cannot be opened. If the connection is over, it is closed at once. */
  async keep<Opened>(reqId: ReqId, stream: Stream, open: () => Promise<Opened>): Promise<Opened> {
    this.#open.set(reqId, stream);
    if (this.#state === "over") this.closeAll();
    try {
      return await open();
    } catch (error) {
      this.remove(reqId);
      throw error;
    }
  }

  /** Nothing more will come from it. */
  remove(reqId: ReqId): void {
    this.#open.delete(reqId);
  }

  close(reqId: ReqId): void {
    const { does } = WORDS[this.#begin];
    const stream = this.#open.get(reqId);
    if (stream === undefined) {
      throw malformed(
        `This connection ${does} to nothing under ${JSON.stringify(reqId)}.`,
        `Name the "req_id" of the "${this.#begin}".`,
      );
    }
    this.#open.delete(reqId);
    stream.close();
  }

  closeAll(): void {
    this.#state = "over";
    for (const stream of this.#open.values()) stream.close();
    this.#open.clear();
  }
}
