/** Whom one caller on the Unix socket watches, each under the `req_id` it was begun with. Only the newest counts. */
import { BellhopError } from "../core/errors.ts";
import { toSnake } from "../wire/casing.ts";
import { jsonLine } from "../wire/lines.ts";
import type { ShownSession } from "../wire/shapes/sessions.ts";
import type { Streams } from "../wire/shapes.ts";
import type { Outlet } from "./outlet.ts";
import type { ReqId } from "./unix-envelope.ts";

export interface UnixWatchesParts {
  readonly streams: Streams;
  readonly outlet: Outlet;
  readonly most: number;
  /** There is no more to tell of it. */
  over(reqId: ReqId, error: BellhopError): void;
}

interface Watch {
  close(): void;
}

export class UnixWatches {
  readonly #parts: UnixWatchesParts;
  readonly #open = new Map<ReqId, Watch>();
  #state: "open" | "over" = "open";

  constructor(parts: UnixWatchesParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#open.size;
  }

  /** `begin` is to be called once the caller has been answered: an answer comes before what follows it. */
  async open(
    reqId: ReqId | undefined,
    request: { readonly who: string },
  ): Promise<{ readonly agent: string; begin(): void }> {
    const { streams, most, outlet, over } = this.#parts;
    if (reqId === undefined) throw unnamed();
    if (this.#open.has(reqId)) throw taken(reqId);
    if (this.#open.size >= most) throw tooMany(most);
    const newest = new Newest(reqId, outlet);
    const watch: { close: () => void } = { close: () => newest.close() };
    this.#open.set(reqId, watch);
    try {
      const { agent, close } = await streams.watch(request, {
        session: (session) => newest.tell(session),
        over: (error) => {
          this.#open.delete(reqId);
          newest.close();
          over(reqId, error);
        },
      });
      watch.close = () => {
        newest.close();
        close();
      };
      if (this.#state === "over") watch.close();
      return { agent, begin: () => newest.begin() };
    } catch (error) {
      this.#open.delete(reqId);
      throw error;
    }
  }

  close(reqId: ReqId): { readonly watch: ReqId } {
    const watch = this.#open.get(reqId);
    if (watch === undefined) throw unknown(reqId);
    this.#open.delete(reqId);
    watch.close();
    return { watch: reqId };
  }

  closeAll(): void {
    this.#state = "over";
    for (const watch of this.#open.values()) watch.close();
    this.#open.clear();
  }
}

/** A reader who is slow misses what was in between, and is never cut off for it. */
class Newest {
  readonly #reqId: ReqId;
  readonly #outlet: Outlet;
  #session: ShownSession | undefined;
  #state: "waiting" | "telling" | "draining" | "closed" = "waiting";

  constructor(reqId: ReqId, outlet: Outlet) {
    this.#reqId = reqId;
    this.#outlet = outlet;
  }

  tell(session: ShownSession): void {
    this.#session = session;
    this.#say();
  }

  begin(): void {
    if (this.#state === "waiting") this.#state = "telling";
    this.#say();
  }

  close(): void {
    this.#state = "closed";
  }

  #say(): void {
    if (this.#state !== "telling" || this.#session === undefined) return;
    if (!this.#outlet.isOpen) return;
    if (!this.#outlet.hasRoom) {
      this.#state = "draining";
      void this.#outlet.drained().then(() => {
        if (this.#state === "draining") this.#state = "telling";
        this.#say();
      });
      return;
    }
    const session = this.#session;
    this.#session = undefined;
    this.#outlet.write(jsonLine(toSnake({ type: "push", reqId: this.#reqId, session })));
  }
}

function unnamed(): BellhopError {
  return new BellhopError("request.malformed", {
    message: '"watch" needs a "req_id": what is seen is told by it.',
    next: 'Add one, such as "req_id": 1.',
  });
}

function taken(reqId: ReqId): BellhopError {
  return new BellhopError("request.malformed", {
    message: `This connection watches under ${JSON.stringify(reqId)} already.`,
    next: 'Choose another "req_id".',
  });
}

function unknown(reqId: ReqId): BellhopError {
  return new BellhopError("request.malformed", {
    message: `This connection does not watch under ${JSON.stringify(reqId)}.`,
    next: 'Name the "req_id" of the "watch".',
  });
}

function tooMany(most: number): BellhopError {
  return new BellhopError("listener.too_many", {
    message: `This connection watches ${most} agents already.`,
    next: "Open another connection, or end some with unwatch.",
  });
}
