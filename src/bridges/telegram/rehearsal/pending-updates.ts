/**
 * The updates that a bot has not confirmed, as the server keeps them: asking with a later offset forgets the earlier
 * ones, an offset far in the future counts from the first, and only one call can wait for more.
 */
import type { Clock } from "../../../ports/clock.ts";
import { RefusedCall } from "./refusal.ts";

export interface PendingUpdate {
  readonly update_id: number;
  readonly [field: string]: unknown;
}

export interface GetUpdates {
  readonly offset: number;
  readonly limit: number;
  readonly timeoutSeconds: number;
  /** The caller hung up. */
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly asked: GetUpdates;
  readonly answer: (updates: readonly PendingUpdate[]) => void;
  readonly refuse: (error: RefusedCall) => void;
}

const FIRST_ID = 870_000_001;
/** The server takes an offset that is further ahead for one of another sequence. */
const MOST_AHEAD = 10;
const ANOTHER_POLLER =
  "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
const WEBHOOK =
  "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";

export class PendingUpdates {
  readonly #clock: Clock;
  #pending: PendingUpdate[] = [];
  #nextId = FIRST_ID;
  #waiting: Waiting | undefined;
  hasWebhook = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The id of the new update. After a week without any, the server goes on with another number: `id`. */
  add(fields: Readonly<Record<string, unknown>>, id = this.#nextId): number {
    this.#nextId = id + 1;
    this.#pending.push({ update_id: id, ...fields });
    this.#wake();
    return id;
  }

  /** Confirmed by none: how many the server still keeps. */
  get count(): number {
    return this.#pending.length;
  }

  get(asked: GetUpdates): Promise<readonly PendingUpdate[]> {
    if (this.hasWebhook) return Promise.reject(new RefusedCall(409, WEBHOOK));
    const found = this.#from(asked);
    if (found.length > 0 || asked.timeoutSeconds === 0) return Promise.resolve(found);
    this.#waiting?.refuse(new RefusedCall(409, ANOTHER_POLLER));
    return this.#wait(asked);
  }

  #wait(asked: GetUpdates): Promise<readonly PendingUpdate[]> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        if (this.#waiting === waiting) this.#waiting = undefined;
        cancel();
        asked.signal.removeEventListener("abort", hungUp);
      };
      const waiting: Waiting = {
        asked,
        answer: (updates) => {
          end();
          resolve(updates);
        },
        refuse: (error) => {
          end();
          reject(error);
        },
      };
      const hungUp = (): void => waiting.answer([]);
      const cancel = this.#clock.after(asked.timeoutSeconds * 1_000, () => waiting.answer([]));
      asked.signal.addEventListener("abort", hungUp);
      this.#waiting = waiting;
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    const found = this.#from(waiting.asked);
    if (found.length > 0) waiting.answer(found);
  }

  #from({ offset, limit }: GetUpdates): readonly PendingUpdate[] {
    const isOfThisSequence = offset > 0 && offset <= this.#nextId + MOST_AHEAD;
    if (isOfThisSequence) this.#pending = this.#pending.filter(({ update_id }) => update_id >= offset);
    return this.#pending.slice(0, limit);
  }
}
