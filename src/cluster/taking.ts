/** Takes the bags of this host out of the stream, one after the other. */
import type { Consumer, ConsumerMessages, JsMsg } from "@nats-io/jetstream";
import { backoffMs } from "../core/time/backoff.ts";
import type { Clock } from "../ports/clock.ts";
import type { ArrivedBag } from "../ports/cluster-engine.ts";
import type { EngineTime } from "./engine-time.ts";
import { BAG_AGAIN } from "./times.ts";
import { every } from "./waiting.ts";

/**
 * How long one question for a bag stands. Not longer: a server that does not notice that we are gone hands a bag to a
 * question that nobody waits for any more, and everything after it waits until that bag is handed out again.
 */
const QUESTION_MS = 10_000;
/** The server shows that it still knows the question; two missed signs end it. */
const SIGN_MS = 3_000;
/**
 * While a connection is young, the servers may still be choosing who hands out bags: whoever is chosen then has not heard
 * the question. It is asked again soon.
 */
const YOUNG_MS = 15_000;
const YOUNG_QUESTION_MS = 2_000;
const YOUNG_SIGN_MS = 1_000;
/** A third of the time after which the server would hand it out again. */
const WORKING_MS = 1_500;
/**
 * How long nothing may be handed out while something waits: longer than a bag stays in hands that are gone. It is looked
 * at twice before it counts.
 */
const STALL_MS = 6_000;
/** How often that is looked at while nothing waits. */
const LOOK_EVERY_MS = 60_000;
const NANOS_PER_MS = 1_000_000n;

export interface TakingOptions {
  readonly consumer: Consumer;
  readonly clock: Clock;
  readonly time: EngineTime;
  /** Whether the stream holds anything for this host. */
  readonly waits: () => Promise<boolean>;
  /** Resolves when the bag is taken. */
  readonly hand: (bag: ArrivedBag) => Promise<void>;
}

/**
 * The server answers, and hands out nothing of what it has. Servers that were killed together may forget what this
 * consumer had, or believe that it had more.
 */
export class NotHandedOut extends Error {
  constructor() {
    super("the server hands out nothing of what it has");
    this.name = "NotHandedOut";
  }
}

export class Taking {
  readonly #options: TakingOptions;
  readonly #signal: AbortSignal;
  readonly #beganAt: number;
  /** Since then nothing was handed out that could have been. */
  #emptySince: number;
  #lookAt = Number.NEGATIVE_INFINITY;
  #isDoubtful = false;

  constructor(options: TakingOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#beganAt = options.clock.monotonic();
    this.#emptySince = this.#beganAt;
  }

  /** Asks for one bag and has it taken, if there is one. Rejects if the server does not answer as it should. */
  async next(): Promise<void> {
    const message = await this.#ask();
    if (message === undefined) return this.#lookWhy();
    this.#isDoubtful = false;
    // Nobody is there any more to take it: another one may have it at once.
    if (this.#signal.aborted) message.nak();
    else await this.#take(message);
  }

  async #lookWhy(): Promise<void> {
    const { clock, waits } = this.#options;
    const now = clock.monotonic();
    if (this.#signal.aborted || now < this.#emptySince + STALL_MS || now < this.#lookAt) return;
    const isWaiting = await waits();
    if (isWaiting && this.#isDoubtful) throw new NotHandedOut();
    this.#isDoubtful = isWaiting;
    this.#lookAt = now + (isWaiting ? STALL_MS : LOOK_EVERY_MS);
  }

  async #ask(): Promise<JsMsg | undefined> {
    const { clock, consumer } = this.#options;
    const isYoung = clock.monotonic() - this.#beganAt < YOUNG_MS;
    const expires = isYoung ? YOUNG_QUESTION_MS : QUESTION_MS;
    const idle_heartbeat = isYoung ? YOUNG_SIGN_MS : SIGN_MS;
    const answers: ConsumerMessages = await consumer.fetch({ max_messages: 1, expires, idle_heartbeat });
    const stop = (): void => answers.stop();
    // The client counts signs by the clock on the wall, which somebody may have set back.
    const cancel = clock.after(expires + 2 * idle_heartbeat, stop);
    this.#signal.addEventListener("abort", stop);
    if (this.#signal.aborted) stop();
    try {
      for await (const message of answers) return message;
      return undefined;
    } finally {
      cancel();
      this.#signal.removeEventListener("abort", stop);
    }
  }

  async #take(message: JsMsg): Promise<void> {
    const { clock, hand, time } = this.#options;
    const storedAt = Number(message.timestampNanos / NANOS_PER_MS);
    time.isPast(storedAt);
    const again = message.info.deliveryCount - 1;
    const idle = every(clock, WORKING_MS, () => quietly(() => message.working()));
    try {
      await hand({ bytes: message.data, ageMs: time.ageMs(storedAt), again });
      quietly(() => message.ack());
      this.#emptySince = clock.monotonic();
    } catch {
      const againMs = backoffMs(BAG_AGAIN, again);
      quietly(() => message.nak(againMs));
      this.#emptySince = clock.monotonic() + againMs;
    } finally {
      idle();
    }
  }
}

/** Without a connection nothing can be said, and the server hands it out again by itself. */
function quietly(say: () => void): void {
  try {
    say();
  } catch {}
}
