import type { BridgeHealth } from "../../ports/bridge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CallFailure } from "./call-failure.ts";

/** The connection's state, unless it is open and what arrives cannot be written down. */
export class SlackHealth {
  readonly #clock: Clock;
  readonly #changed: () => void;
  #connection: Omit<BridgeHealth, "since"> = { state: "connecting" };
  #canWrite = true;
  #shown: BridgeHealth;

  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
    this.#shown = { state: "connecting", since: clock.now() };
  }

  get now(): BridgeHealth {
    return this.#shown;
  }

  /** Whether that is shown as another state than before. */
  become(state: BridgeHealth["state"], error?: string): boolean {
    this.#connection = { state, ...(error === undefined ? {} : { error }) };
    return this.#show();
  }

  writes(canWrite: boolean): boolean {
    this.#canWrite = canWrite;
    return this.#show();
  }

  #show(): boolean {
    const before = this.#shown;
    const isUnwritten = this.#connection.state === "connected" && !this.#canWrite;
    const next = isUnwritten ? UNWRITTEN : this.#connection;
    if (before.state === next.state && before.error === next.error) return false;
    const isSameState = before.state === next.state;
    this.#shown = { ...next, since: isSameState ? before.since : this.#clock.now() };
    this.#changed();
    return !isSameState;
  }
}

export interface Ailment {
  readonly state: "down" | "refused";
  readonly error: string;
}

const NEW_TOKEN: Readonly<Record<"app" | "bot", string>> = {
  app: 'Make an app-level token with the scope connections:write at https://api.slack.com/apps ("Basic Information") and give it to Bellhop with "bellhop bridge add slack".',
  bot: 'Install the app again at https://api.slack.com/apps ("OAuth & Permissions") and give the bot\'s token to Bellhop with "bellhop bridge add slack".',
};

/** What is wrong with the connection, and what a person can do about it. `token`: the one that the call was made with. */
export function ailment(failure: CallFailure, token: "app" | "bot"): Ailment {
  const { words } = failure;
  const named = token === "app" ? "app-level token" : "bot's token";
  switch (failure.kind) {
    case "unauthorised":
      return {
        state: "refused",
        error: `Slack does not accept the ${named} (${words}). ${NEW_TOKEN[token]}`,
      };
    case "refused":
      if (failure.code === "missing_scope" || failure.code === "no_permission")
        return { state: "refused", error: `The ${named} may not do this (${words}). ${NEW_TOKEN[token]}` };
      if (token === "app")
        return {
          state: "refused",
          error: `Slack opens no connection (${words}). Switch on Socket Mode at https://api.slack.com/apps ("Socket Mode"). Bellhop tries again by itself.`,
        };
      return {
        state: "down",
        error: `Slack refuses to say who the bot is (${words}). Bellhop keeps trying.`,
      };
    case "throttled":
      return { state: "down", error: `Slack asks to wait ${Math.ceil(failure.afterMs / 1_000)} seconds.` };
    case "unreachable":
      return {
        state: "down",
        error: `Slack cannot be reached (${words}). Bellhop keeps trying; if it lasts, check the network and https://status.slack.com.`,
      };
  }
}

export const SWITCHED_OFF: Ailment = {
  state: "refused",
  error:
    'Socket Mode is switched off for this app. Switch it on at https://api.slack.com/apps ("Socket Mode"). Bellhop tries again by itself.',
};

export const UNWRITTEN: Ailment = {
  state: "down",
  error:
    'Bellhop cannot write down what arrives: see "bellhop doctor". Slack sends it again a few times, and Bellhop keeps trying.',
};
