import type { BridgeHealth } from "../../ports/bridge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CallFailure } from "./call-failure.ts";

export class TelegramHealth {
  readonly #clock: Clock;
  readonly #changed: () => void;
  #health: BridgeHealth;

  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
    this.#health = { state: "connecting", since: clock.now() };
  }

  get now(): BridgeHealth {
    return this.#health;
  }

  /** Whether that is another state than before. */
  become(state: BridgeHealth["state"], error?: string): boolean {
    const before = this.#health;
    if (before.state === state && before.error === error) return false;
    const since = before.state === state ? before.since : this.#clock.now();
    this.#health = { state, since, ...(error === undefined ? {} : { error }) };
    this.#changed();
    return before.state !== state;
  }
}

/** What is wrong, and what a person can do about it. */
export function ailment(failure: CallFailure): {
  readonly state: "down" | "refused";
  readonly error: string;
} {
  const { words } = failure;
  switch (failure.kind) {
    case "unauthorised":
      return {
        state: "refused",
        error: `Telegram refuses the bot's token (${words}). Ask @BotFather for the current one ("/mybots", then "API Token") and give it to Bellhop with "bellhop bridge add telegram".`,
      };
    case "conflict":
      return { state: "refused", error: failure.by === "webhook" ? WEBHOOK : ANOTHER_POLLER };
    case "throttled":
      return { state: "down", error: `Telegram asks to wait ${Math.ceil(failure.afterMs / 1_000)} seconds.` };
    case "refused":
      return { state: "down", error: `Telegram gives out no messages (${words}). Bellhop keeps trying.` };
    case "unreachable":
      return {
        state: "down",
        error: `Telegram cannot be reached (${words}). Bellhop keeps trying; if it lasts, check the network and https://telegram.org.`,
      };
  }
}

const ANOTHER_POLLER =
  "Another program receives this bot's messages. Stop it (a second Bellhop, or another program with the same token), or give Bellhop a bot of its own. Bellhop tries again by itself.";
const WEBHOOK =
  "A webhook receives this bot's messages. Remove it (deleteWebhook), or give Bellhop a bot of its own. Bellhop tries again by itself.";
