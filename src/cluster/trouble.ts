/** What keeps the engine from working, in a person's words. What a server says is quoted: agents read it too. */
import { inQuotes } from "../core/text/strangers-words.ts";
import {
  CONSUMER_MISSING,
  LEADERLESS,
  NO_ROOM,
  NOT_FOR_ACCOUNT,
  STORE_FAILED,
  STREAM_MISSING,
} from "./jetstream-codes.ts";

/**
 * `soon`: the server is there, and will be ready in a moment. `rarely`: a person must act first. Otherwise as often as
 * one tries to reach somebody.
 */
export type Retry = "soon" | "patiently" | "rarely";

export interface Trouble {
  readonly words: string;
  readonly retry: Retry;
}

/** Thrown with words of our own. */
export class EngineTrouble extends Error implements Trouble {
  override readonly name = "EngineTrouble";
  readonly retry: Retry;

  constructor(words: string, retry: Retry) {
    super(words);
    this.retry = retry;
  }

  get words(): string {
    return this.message;
  }
}

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "there is no host of this name",
  EAI_AGAIN: "the name of the host cannot be looked up now",
  ETIMEDOUT: "it does not answer",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  EHOSTUNREACH: "there is no way to this host",
  ENETUNREACH: "there is no network",
  EMFILE: "no file descriptor is left",
};

/** Why a server could not be connected to. `server`: as it may be shown. */
export function connectTrouble(error: unknown, server: string): Trouble {
  const { name, message, code } = fieldsOf(error);
  if (error instanceof EngineTrouble) return error;
  if (AUTHORIZATION.includes(name)) return { words: `authorization refused by ${server}`, retry: "rarely" };
  if (/does not support 'tls'/u.test(message))
    return { words: `${server} does not offer TLS`, retry: "rarely" };
  if (/^ERR_(?:TLS|SSL)|CERT|SIGNATURE/u.test(code))
    return { words: `the certificate of ${server} is not trusted: ${said(message)}`, retry: "rarely" };
  const why = UNREACHABLE[code] ?? (name === "TimeoutError" ? "it does not answer" : said(message));
  return { words: `cannot reach ${server}: ${why}`, retry: "patiently" };
}

const LONGEST_SAID = 120;
const AUTHORIZATION: readonly string[] = ["AuthorizationError", "UserAuthenticationExpiredError"];

export const NO_LEADER: Trouble = { words: "the stream has no leader", retry: "soon" };
export const LOST: Trouble = { words: "the connection to NATS was lost", retry: "soon" };

const CLOSED: readonly string[] = ["ClosedConnectionError", "DrainingConnectionError"];

/** Why a server that we are connected to did not do what was asked. */
export function requestTrouble(error: unknown): Trouble {
  if (error instanceof EngineTrouble) return error;
  const { name, message, code } = fieldsOf(error);
  const number = Number(code);
  if (CLOSED.includes(name) || message === "connection closed") return LOST;
  if (LEADERLESS.includes(number)) return NO_LEADER;
  if (NOT_FOR_ACCOUNT.includes(number))
    return { words: "JetStream is not enabled for this account", retry: "rarely" };
  if (NO_ROOM.includes(number))
    return { words: `the server has no room: ${said(message)}`, retry: "patiently" };
  if (number === STREAM_MISSING) return { words: "somebody deleted the stream", retry: "soon" };
  if (number === CONSUMER_MISSING || message === "consumer deleted")
    return { words: "somebody deleted the consumer of this host", retry: "soon" };
  if (name === "JetStreamNotEnabled")
    return { words: "JetStream is not enabled on the server", retry: "patiently" };
  if (/^Permissions Violation/u.test(message))
    return { words: `authorization refused: ${said(message)}`, retry: "rarely" };
  if (name === "TimeoutError") return { words: "NATS did not answer in time", retry: "soon" };
  return { words: `NATS says: ${said(message)}`, retry: "patiently" };
}

/** The server refuses more for one subject, and takes what is for others. */
export function isSubjectFull(error: unknown): boolean {
  const { code, message } = fieldsOf(error);
  return Number(code) === STORE_FAILED && /per subject/u.test(message);
}

/** The same, once JetStream was there: the client takes a stream without a leader for a server without JetStream. */
export function storeTrouble(error: unknown): Trouble {
  return fieldsOf(error).name === "JetStreamNotEnabled" ? NO_LEADER : requestTrouble(error);
}

function said(message: string): string {
  return inQuotes(message, LONGEST_SAID);
}

interface ErrorFields {
  readonly name: string;
  readonly message: string;
  readonly code: string;
}

/** The client wraps the errors of sockets. */
function fieldsOf(error: unknown): ErrorFields {
  if (!(error instanceof Error)) return { name: "", message: String(error), code: "" };
  const { name, message } = error;
  const own = "code" in error && error.code !== undefined ? String(error.code) : undefined;
  return { name, message, code: own ?? fieldsOf(error.cause).code };
}
