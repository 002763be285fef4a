/** grammY's client for the Bot API, without its bot: that one confirms an update before it was handled. */
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Api } from "grammy";
import type { TelegramSettings } from "./config.ts";

export type BotSignal = NonNullable<Parameters<Api["getMe"]>[0]>;

export interface Connection {
  /** For the call that waits for updates. */
  readonly polling: Api;
  /** For everything else. */
  readonly talking: Api;
}

export const LONG_POLL_SECONDS = 30;
const POLL_DEADLINE_SECONDS = LONG_POLL_SECONDS + 15;
const CALL_DEADLINE_SECONDS = 20;
const LONGEST_ANSWER_BYTES = 16_777_216;
const TELEGRAM = "https://api.telegram.org";

export async function connect({ token, apiRoot = TELEGRAM }: TelegramSettings): Promise<Connection> {
  const { Api } = await import("grammy");
  // A redirect would carry the token, which is part of the address, to another server.
  const fetching = { size: LONGEST_ANSWER_BYTES, redirect: "error" as const };
  // A connection that was kept open may end just when it is used again, and nobody knows whether a message went out.
  const agent = apiRoot.startsWith("https:") ? new HttpsAgent() : new HttpAgent();
  return {
    polling: new Api(token, { apiRoot, timeoutSeconds: POLL_DEADLINE_SECONDS, baseFetchConfig: fetching }),
    talking: new Api(token, {
      apiRoot,
      timeoutSeconds: CALL_DEADLINE_SECONDS,
      baseFetchConfig: { ...fetching, agent },
    }),
  };
}

/** grammY's type of a signal is that of a package from before Node had its own. */
export function botSignal(signal: AbortSignal): BotSignal {
  return signal as unknown as BotSignal;
}
