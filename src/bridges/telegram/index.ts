/** The bridge to Telegram: a bot of the Bot API, by long polling. */
import type {
  Bridge,
  BridgeHealth,
  OutsideInbox,
  Saying,
  SayingContext,
  SayingOutcome,
} from "../../ports/bridge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { botIdOf, checkTelegramSettings, type TelegramSettings } from "./config.ts";
import { type Connection, connect } from "./connection.ts";
import { TelegramHealth } from "./health.ts";
import { Polling } from "./polling.ts";
import { chatOf, Speaker } from "./speaking.ts";
import { Topics } from "./topics.ts";

export interface TelegramNeeds {
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Throws `config.invalid`. */
export function telegramBridge(settings: TelegramSettings, needs: TelegramNeeds): Bridge {
  return new TelegramBridge(checkTelegramSettings(settings), needs);
}

class TelegramBridge implements Bridge {
  readonly name = "telegram";
  readonly #settings: TelegramSettings;
  readonly #needs: TelegramNeeds;
  readonly #health: TelegramHealth;
  readonly #closing = new AbortController();
  #inbox: OutsideInbox | undefined;
  #speaker: Speaker | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(settings: TelegramSettings, needs: TelegramNeeds) {
    this.#settings = settings;
    this.#needs = needs;
    this.#health = new TelegramHealth(needs.clock, () => this.#inbox?.changed());
  }

  reaches(path: string): boolean {
    return chatOf(path) !== undefined;
  }

  async open(inbox: OutsideInbox): Promise<void> {
    const { clock, log, random } = this.#needs;
    this.#inbox = inbox;
    const connection = await this.#connect();
    const { signal } = this.#closing;
    if (signal.aborted || connection === undefined) return;
    this.#speaker = new Speaker(
      connection.talking,
      new Topics({ api: connection.talking, inbox, clock, log }),
    );
    const botId = botIdOf(this.#settings);
    const polling = { connection, inbox, clock, log, random, health: this.#health, botId };
    this.#running = new Polling(polling, signal).run();
  }

  async #connect(): Promise<Connection | undefined> {
    try {
      return await connect(this.#settings);
    } catch (error) {
      this.#needs.log.error("telegram cannot be loaded", { why: String(error) });
      this.#health.become(
        "refused",
        "Bellhop's client for Telegram cannot be loaded: install Bellhop again.",
      );
      return undefined;
    }
  }

  async say(saying: Saying, context: SayingContext): Promise<SayingOutcome> {
    if (this.#speaker === undefined || this.#closing.signal.aborted)
      return { kind: "outage", why: "the bridge is not open" };
    const signal = AbortSignal.any([context.signal, this.#closing.signal]);
    return this.#speaker.say(saying, { ...context, signal });
  }

  health(): BridgeHealth {
    return this.#health.now;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }
}
