/** What one caller on the Unix socket has begun and not ended, each under the `req_id` it was begun with. */
import { BellhopError } from "../../core/errors.ts";
import type { ReqId } from "./envelope.ts";

export interface StreamWords {
  /** As requests say it. */
  readonly begin: string;
  readonly end: string;
  /** As a sentence says it: this connection … */
  readonly does: string;
  readonly many: string;
}

export class UnixStreams<Stream extends { close(): void }> {
  readonly #most: number;
  readonly #words: StreamWords;
  readonly #open = new Map<ReqId, Stream>();
  #state: "open" | "over" = "open";

  constructor(most: number, words: StreamWords) {
    this.#most = most;
    this.#words = words;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Throws when nobody could tell it apart, or there are too many. */
  place(reqId: ReqId | undefined): ReqId {
    const { begin, end, does, many } = this.#words;
    if (reqId === undefined) {
      throw malformed(
        `"${begin}" needs a "req_id": the events that follow carry it.`,
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

  /** A connection that is over closes it at once. */
  add(reqId: ReqId, stream: Stream): void {
    this.#open.set(reqId, stream);
    if (this.#state === "over") this.closeAll();
  }

  /** There is no more to come of it. */
  remove(reqId: ReqId): void {
    this.#open.delete(reqId);
  }

  close(reqId: ReqId): void {
    const { begin, does } = this.#words;
    const stream = this.#open.get(reqId);
    if (stream === undefined) {
      throw malformed(
        `This connection ${does} to nothing under ${JSON.stringify(reqId)}.`,
        `Name the "req_id" of the "${begin}".`,
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

function malformed(message: string, next: string): BellhopError {
  return new BellhopError("request.malformed", { message, next });
}
