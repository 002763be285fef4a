/**
 * Asks Telegram for updates, hands in each of them, and only then asks for the next ones: that confirms those before.
 * Where it stands is written with each arrival, in the same transaction.
 */
import { type Backoff, backoffMs } from "../../core/time/backoff.ts";
import type { OutsideInbox, Taken } from "../../ports/bridge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { type CallFailure, callFailure } from "./call-failure.ts";
import { botSignal, type Connection, LONG_POLL_SECONDS } from "./connection.ts";
import { ailment, type TelegramHealth } from "./health.ts";
import { ownerOfTopic } from "./topics.ts";
import { type ButtonPress, readUpdate } from "./updates.ts";

export interface PollingOptions {
  readonly connection: Connection;
  readonly inbox: OutsideInbox;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly health: TelegramHealth;
  readonly botId: string;
}

type Round =
  | { readonly kind: "heard"; readonly isLeft?: boolean }
  | { readonly kind: "failed"; readonly failure: CallFailure }
  /** The store could not write: nothing after that was taken. */
  | { readonly kind: "unwritten"; readonly cause: unknown };

const MOST_UPDATES = 100;
const WHILE_DOWN: Backoff = { firstMs: 1_000, longestMs: 60_000 };
/** A person must act first, and each try interrupts the other program. */
const WHILE_REFUSED: Backoff = { firstMs: 15_000, longestMs: 300_000 };
/** What is left with Telegram is in the next answer again, at once. */
const WHILE_LEFT_MS = 500;
const ALLOWED = ["message", "callback_query"] as const;

export class Polling {
  readonly #options: PollingOptions;
  readonly #signal: AbortSignal;
  /** Answers to presses that are under way. */
  readonly #courtesies = new Set<Promise<void>>();

  constructor(options: PollingOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** Ends when the signal says so; never rejects. */
  async run(): Promise<void> {
    let failures = 0;
    // The first question is answered at once, and says whether the connection works. While another program asks too,
    // only a question that waits says whether it still does.
    let waitSeconds = 0;
    while (!this.#signal.aborted) {
      const round = await this.#round(waitSeconds);
      if (this.#signal.aborted) break;
      failures = round.kind === "heard" ? 0 : failures + 1;
      waitSeconds = round.kind === "heard" || isConflict(round) ? LONG_POLL_SECONDS : 0;
      this.#report(round);
      if (round.kind !== "heard") await this.#rest(this.#pauseMs(round, failures - 1));
      else if (round.isLeft === true) await this.#rest(WHILE_LEFT_MS);
    }
    await Promise.all(this.#courtesies);
  }

  async #round(waitSeconds: number): Promise<Round> {
    let updates: unknown;
    try {
      updates = await this.#ask(waitSeconds);
    } catch (error) {
      return { kind: "failed", failure: callFailure(error) };
    }
    if (!Array.isArray(updates)) return UNREADABLE;
    try {
      return await this.#takeAll(updates);
    } catch (cause) {
      return { kind: "unwritten", cause };
    }
  }

  #ask(waitSeconds: number): Promise<unknown> {
    const { connection, inbox } = this.#options;
    const offset = Number(inbox.kept(this.#offsetKey));
    return connection.polling.getUpdates(
      {
        ...(Number.isSafeInteger(offset) && offset > 0 ? { offset } : {}),
        limit: MOST_UPDATES,
        timeout: waitSeconds,
        allowed_updates: ALLOWED,
      },
      botSignal(this.#signal),
    );
  }

  /** In their order. The next offset follows the last of them even if it is lower: their numbers can start anew. */
  async #takeAll(updates: readonly unknown[]): Promise<Round> {
    const { inbox, log } = this.#options;
    let passed: number | undefined;
    let isAdvancing = updates.length === 0;
    let isLeft = false;
    const skipped: string[] = [];
    for (const update of updates.slice(0, MOST_UPDATES)) {
      const reading = readUpdate(update, (chat, topic) => ownerOfTopic(inbox, chat, topic));
      if (reading.kind === "unreadable") {
        skipped.push("unreadable update");
        continue;
      }
      isAdvancing = true;
      if (reading.kind === "other") {
        passed = reading.updateId;
        skipped.push(reading.what);
        continue;
      }
      passed = undefined;
      const taken = await this.#unlessStopped(inbox.take(reading.arrival, this.#after(reading.updateId)));
      if (taken === "left") isLeft = true;
      else if (reading.press !== undefined) this.#acknowledge(reading.press, taken);
    }
    // To confirm one is to confirm all before it.
    if (passed !== undefined && !isLeft) await this.#unlessStopped(inbox.keep(this.#after(passed)));
    if (skipped.length > 0) log.info("telegram skips updates", { count: skipped.length, first: skipped[0] });
    return isAdvancing ? { kind: "heard", isLeft } : UNREADABLE;
  }

  /** Courtesy: the button stops waiting, and is gone once it was used. What was pressed is on disk already. */
  #acknowledge(press: ButtonPress, taken: Taken): void {
    const courtesy = this.#answerPress(press, taken)
      .catch((error: unknown) => {
        this.#options.log.info("telegram keeps a button waiting", { why: callFailure(error).words });
      })
      .finally(() => this.#courtesies.delete(courtesy));
    this.#courtesies.add(courtesy);
  }

  async #answerPress({ id, chat, messageId }: ButtonPress, taken: Taken): Promise<void> {
    const { talking } = this.#options.connection;
    const signal = botSignal(this.#signal);
    const words = taken === "flood" ? { text: "Too much at once. Please try again." } : {};
    await talking.answerCallbackQuery(id, words, signal);
    if (taken !== "accepted" && taken !== "repeated") return;
    await talking.editMessageReplyMarkup(chat, messageId, {}, signal);
  }

  #report(round: Round): void {
    const { health, log } = this.#options;
    if (round.kind === "heard") {
      if (health.become("connected")) log.info("telegram is connected");
      return;
    }
    const { state, error } = round.kind === "failed" ? ailment(round.failure) : UNWRITTEN;
    if (!health.become(state, error)) return;
    const why = round.kind === "failed" ? round.failure.words : messageOf(round.cause);
    log.warn(`telegram is ${state}`, { why });
  }

  #pauseMs(round: Exclude<Round, { kind: "heard" }>, attempt: number): number {
    const { random } = this.#options;
    if (round.kind === "failed" && round.failure.kind === "throttled") return round.failure.afterMs;
    const isRefused = round.kind === "failed" && ailment(round.failure).state === "refused";
    return backoffMs(isRefused ? WHILE_REFUSED : WHILE_DOWN, attempt, random());
  }

  #rest(pauseMs: number): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.#signal.removeEventListener("abort", end);
        resolve();
      };
      const cancel = clock.after(pauseMs, end);
      this.#signal.addEventListener("abort", end);
    });
  }

  /** Closing does not wait for a store that hangs: what is not on disk is not confirmed. */
  #unlessStopped<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(new Error("the bridge is closed"));
      if (this.#signal.aborted) stop();
      this.#signal.addEventListener("abort", stop);
      work.then(resolve, reject).finally(() => this.#signal.removeEventListener("abort", stop));
    });
  }

  get #offsetKey(): string {
    return `offset/${this.#options.botId}`;
  }

  #after(updateId: number): Readonly<Record<string, string>> {
    return { [this.#offsetKey]: String(updateId + 1) };
  }
}

const UNREADABLE: Round = {
  kind: "failed",
  failure: { kind: "unreachable", words: "an answer that cannot be read", isUnsent: false },
};

const UNWRITTEN = {
  state: "down",
  error:
    'Bellhop cannot write down what arrives: see "bellhop doctor". Telegram keeps it for a day, and Bellhop keeps trying.',
} as const;

function isConflict(round: Round): boolean {
  return round.kind === "failed" && round.failure.kind === "conflict";
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
