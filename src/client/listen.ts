/** Listening as a loop: `for await (const message of bellhop.listen("coder"))`. It comes back after a restart. */
import type { BellhopError } from "../core/errors.ts";
import type { BrokerMessage } from "../wire/shapes/broker.ts";
import type { Line, Listening, Whose } from "./line.ts";
import { isAbsence, type Patience, patiently } from "./patience.ts";

export interface ListenOptions {
  /**
   * Takes each message, what waits already first: after a gap nothing is missed, and what may have been seen
   * before says `redelivered`. Without it one hears what comes while one listens, and nothing changes.
   */
  readonly consume?: boolean;
  readonly signal?: AbortSignal;
}

/** What was heard and not yet asked for; beyond it the connection is not read, and the daemon keeps the rest. */
export const MOST_HEARD = 256;
/** One that held for so long was in order: patience begins anew. Else a daemon that breaks off each time would be dialled for ever. */
const STEADY_MS = 5_000;

export function listenPatiently(
  line: Line,
  whose: Whose,
  options: ListenOptions,
  patience: Patience,
  closed: AbortSignal,
): AsyncIterableIterator<BrokerMessage> {
  const heard: BrokerMessage[] = [];
  let asking: (() => void) | undefined;
  let listening: Listening | undefined;
  /** Of the agent that was listened to first: after a restart another may have its name. */
  let since: number | undefined;
  let over: { readonly error?: unknown } | undefined;

  const awake = (): void => {
    asking?.();
    asking = undefined;
  };
  const finish = (error?: unknown): void => {
    if (over !== undefined) return;
    over = error === undefined ? {} : { error };
    listening?.close();
    options.signal?.removeEventListener("abort", leave);
    closed.removeEventListener("abort", leave);
    awake();
  };
  const leave = (): void => finish();
  const connect = async (): Promise<void> => {
    try {
      while (over === undefined) await patiently(once, isAbsence, patience);
    } catch (error) {
      finish(error);
    }
  };
  /** Until this connection is over. */
  const once = async (): Promise<void> => {
    if (over !== undefined) return;
    let ended: (error: BellhopError) => void = () => {};
    const end = new Promise<BellhopError>((resolve) => {
      ended = resolve;
    });
    const opened = await line.listen(
      { ...whose, consume: options.consume === true, ...(since === undefined ? {} : { agentSince: since }) },
      {
        hear(message) {
          heard.push(message);
          if (heard.length >= MOST_HEARD) listening?.pause();
          awake();
        },
        over: (error) => ended(error),
      },
    );
    listening = opened;
    since = opened.agentSince;
    if (over !== undefined) return listening.close();
    const openedAt = patience.now();
    const error = await end;
    if (!isAbsence(error) || patience.now() - openedAt < STEADY_MS) throw error;
  };

  options.signal?.addEventListener("abort", leave, { once: true });
  closed.addEventListener("abort", leave, { once: true });
  if (options.signal?.aborted === true || closed.aborted) finish();
  else void connect();

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      for (;;) {
        const message = heard.shift();
        if (message !== undefined) {
          if (heard.length === 0) listening?.resume();
          return { done: false, value: message };
        }
        if (over !== undefined) {
          if ("error" in over) {
            const { error } = over;
            over = {};
            throw error;
          }
          return { done: true, value: undefined };
        }
        await new Promise<void>((resolve) => {
          asking = resolve;
        });
      }
    },
    async return() {
      finish();
      heard.length = 0;
      return { done: true, value: undefined };
    },
  };
}
