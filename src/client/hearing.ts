/** What the daemon keeps sending, as a loop: it resumes after a restart, and does not read more than is consumed. */
import type { BellhopError } from "../core/errors.ts";
import type { Ear, Listening, Unread } from "./line.ts";
import { isAbsence, type Patience, patiently } from "./patience.ts";

export interface Hearing<Item> {
  open(ear: Ear<Item>): Promise<Listening>;
  /** Most that is heard but not yet consumed; beyond it the connection is not read, and the daemon keeps the rest. */
  readonly most: number;
  readonly patience: Patience;
  /** Each ends it. */
  readonly leaving: readonly AbortSignal[];
}

/** After a connection that lasted this long, patience starts anew. If every one breaks sooner, redialling ends. */
const STEADY_MS = 5_000;

export function hearPatiently<Item>({
  open,
  most,
  patience,
  leaving,
}: Hearing<Item>): AsyncIterableIterator<Item> {
  const heard = new Backlog<Item>();
  let listening: Listening | undefined;

  const finish = (ending: { readonly error?: unknown }): void => {
    heard.finish(ending);
    listening?.close();
    for (const signal of leaving) signal.removeEventListener("abort", leave);
  };
  const leave = (): void => finish({});
  const hear = (item: Item): void => {
    heard.push(item);
    if (heard.size >= most) listening?.pause();
  };
  const hearUnread = (items: Unread<Item>): void => {
    heard.pushUnread(items);
    if (heard.size >= most) listening?.pause();
  };
  // Listening must not use up a short patience.
  const steadyMs = Math.min(STEADY_MS, patience.patienceMs / 2);
  const once = async (): Promise<void> => {
    if (heard.isOver) return;
    // It may be over before we hear that it was opened: then it did not last at all.
    let openedAt = Number.POSITIVE_INFINITY;
    const error = await new Promise<BellhopError>((over, refused) => {
      open({ hear, hearUnread, over }).then((opened) => {
        listening = opened;
        openedAt = patience.now();
        if (heard.isOver) opened.close();
      }, refused);
    });
    if (!isAbsence(error) || patience.now() - openedAt < steadyMs) throw error;
  };
  const goOn = async (): Promise<void> => {
    while (!heard.isOver) await patiently(once, isAbsence, patience);
  };

  const nextLater = async (): Promise<IteratorResult<Item, undefined>> => {
    const next = await heard.next();
    if (heard.isEmpty) listening?.resume();
    return next;
  };

  for (const signal of leaving) signal.addEventListener("abort", leave, { once: true });
  if (leaving.some(({ aborted }) => aborted)) leave();
  else void goOn().catch((error: unknown) => finish({ error }));

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      const item = heard.take();
      if (item === undefined) return nextLater();
      if (heard.isEmpty) listening?.resume();
      return Promise.resolve({ done: false, value: item });
    },
    async return() {
      leave();
      heard.forget();
      return { done: true, value: undefined };
    },
  };
}

/** A piece keeps the place of each item until all are taken. */
const MOST_IN_A_PIECE = 256;

/** Items that were read as they came. */
class Read<Item> implements Unread<Item> {
  readonly #items: (Item | undefined)[] = [];
  #taken = 0;

  get size(): number {
    return this.#items.length - this.#taken;
  }

  get hasRoom(): boolean {
    return this.#items.length < MOST_IN_A_PIECE;
  }

  add(item: Item): void {
    this.#items.push(item);
  }

  take(): Item | undefined {
    const item = this.#items[this.#taken];
    this.#items[this.#taken] = undefined;
    this.#taken += 1;
    return item;
  }
}

/** What was heard but not yet consumed, in order; then the end and its reason, reported once. */
class Backlog<Item> {
  /** In pieces as they came: few, however many items. */
  readonly #pieces: Unread<Item>[] = [];
  #over: { readonly error?: unknown } | undefined;
  #asking: (() => void) | undefined;

  get size(): number {
    let size = 0;
    for (const piece of this.#pieces) size += piece.size;
    return size;
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  push(item: Item): void {
    const last = this.#pieces.at(-1);
    const read = last instanceof Read && last.hasRoom ? last : new Read<Item>();
    read.add(item);
    if (read !== last) this.#pieces.push(read);
    this.#wake();
  }

  pushUnread(items: Unread<Item>): void {
    this.#pieces.push(items);
    this.#wake();
  }

  /** What was heard before can still be consumed. */
  finish(ending: { readonly error?: unknown }): void {
    this.#over ??= ending;
    this.#wake();
  }

  forget(): void {
    this.#pieces.length = 0;
  }

  /** The next, if there is one. */
  take(): Item | undefined {
    for (;;) {
      const piece = this.#pieces[0];
      if (piece === undefined) return undefined;
      const item = piece.take();
      if (piece.size === 0) this.#pieces.shift();
      if (item !== undefined) return item;
    }
  }

  async next(): Promise<IteratorResult<Item, undefined>> {
    for (;;) {
      const item = this.take();
      if (item !== undefined) return { done: false, value: item };
      if (this.#over !== undefined) {
        const ending = this.#over;
        this.#over = {};
        if ("error" in ending) throw ending.error;
        return { done: true, value: undefined };
      }
      await new Promise<void>((resolve) => {
        this.#asking = resolve;
      });
    }
  }

  #wake(): void {
    this.#asking?.();
    this.#asking = undefined;
  }
}
