/** How a route calls the office: with a verb, on behalf of the holder of the credential. */
import type { AgentName } from "../../core/message.ts";
import type { ShownSession } from "../../wire/shapes/sessions.ts";
import type { AskedUseCases, ResponseOf, Verb } from "../../wire/verbs/index.ts";
import type { Closing } from "../caller/closing.ts";
import { answerRequest, type Caller, readRequest } from "../caller/requests.ts";

export interface HttpCaller {
  /** `undefined` fields count as absent. */
  ask<V extends Verb>(verb: V, fields: Readonly<Record<string, unknown>>): Promise<ResponseOf<V>>;
  /** Our own question about the recipient: an agent may not ask it, but may know its own place in the queue. */
  recipient(who: string): Promise<ShownSession>;
  /** Set if the token is an agent's own: the caller speaks only for that agent. */
  readonly agent: AgentName | undefined;
  /** Its login, if a browser asks. */
  readonly browser: string | undefined;
  readonly closing: Closing;
  /** The daemon's own environment variables. */
  readonly environment: Readonly<Record<string, string>>;
}

export function httpCaller(
  useCases: AskedUseCases,
  caller: Caller,
  closing: Closing,
  environment: Readonly<Record<string, string>> = {},
  browser?: string,
): HttpCaller {
  return {
    agent: caller.agent,
    browser,
    closing,
    environment,
    recipient: (who) =>
      answerRequest(useCases, "session", { request: { who }, claims: { user: caller.user } }),
    async ask<V extends Verb>(verb: V, fields: Readonly<Record<string, unknown>>) {
      const given = Object.entries(fields).filter(([, value]) => value !== undefined);
      return answerRequest(useCases, verb, readRequest(verb, Object.fromEntries(given), caller));
    },
  };
}
