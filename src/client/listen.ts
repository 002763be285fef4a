/** Listening as a loop: `for await (const message of bellhop.listen("coder"))`. It resumes after a restart. */
import type { BellhopError } from "../core/errors.ts";
import type { BrokerMessage } from "../wire/shapes/broker.ts";
import type { Line, Opened, Whose } from "./line.ts";
import { isAbsence, type Patience, patiently } from "./patience.ts";

export interface ListenOptions {
  /**
   * Takes each message, beginning with those already waiting: after a gap nothing is missed, and what may have been
   * seen before says `redelivered`. Without it, only messages that arrive meanwhile are heard, and nothing changes.
   */
  readonly consume?: boolean;
  readonly signal?: AbortSignal;
}

/** Most messages heard but not yet consumed; beyond it the connection is not read, and the daemon keeps the rest. */
export const MOST_HEARD = 256;
/** After a connection that lasted this long, patience starts anew. If every one breaks sooner, redialling ends. */
const STEADY_MS = 5_000;

export function listenPatiently(
  line: Line,
  whose: Whose,
  options: ListenOptions,
  patience: Patience,
  closed: AbortSignal,
): AsyncIterableIterator<BrokerMessage> {
  const heard = new Backlog<BrokerMessage>();
  const leaving = [closed, ...(options.signal === undefined ? [] : [options.signal])];
  let listening: Opened | undefined;

  const finish = (ending: { readonly error?: unknown }): void => {
    heard.finish(ending);
    listening?.close();
    for (const signal of leaving) signal.removeEventListener("abort", leave);
  };
  const leave = (): void => finish({});
  const hear = (message: BrokerMessage): void => {
    heard.push(message);
    if (heard.size >= MOST_HEARD) listening?.pause();
  };
  // Listening must not use up a short patience.
  const steadyMs = Math.min(STEADY_MS, patience.patienceMs / 2);
  const once = async (): Promise<void> => {
    if (heard.isOver) return;
    // After a restart, another agent may have the name that was listened to first.
    const since = listening?.agentSince === undefined ? {} : { agentSince: listening.agentSince };
    const request = { ...whose, consume: options.consume === true, ...since };
    let openedAt = 0;
    const error = await new Promise<BellhopError>((over, refused) => {
      line.listen(request, { hear, over }).then((opened) => {
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

  const nextLater = async (): Promise<IteratorResult<BrokerMessage, undefined>> => {
    const next = await heard.next();
    if (heard.size === 0) listening?.resume();
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
      if (heard.size === 0) listening?.resume();
      return Promise.resolve({ done: false, value: item });
    },
    async return() {
      leave();
      heard.forget();
      return { done: true, value: undefined };
    },
  };
}

/** Messages heard but not yet consumed, in order; then the end and its reason, reported once. */
class Backlog<Item> {
  readonly #items: Item[] = [];
  #over: { readonly error?: unknown } | undefined;
  #asking: (() => void) | undefined;

  get size(): number {
    return this.#items.length;
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  push(item: Item): void {
    this.#items.push(item);
    this.#wake();
  }

  /** Messages heard before can still be consumed. */
  finish(ending: { readonly error?: unknown }): void {
    this.#over ??= ending;
    this.#wake();
  }

  forget(): void {
    this.#items.length = 0;
  }

  /** The next message, if there is one. */
  take(): Item | undefined {
    return this.#items.shift();
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
