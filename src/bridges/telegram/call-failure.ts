/** Why a call of the Bot API failed, in words that may be shown: grammY's own errors can contain the token. */
import { sanitiseLine } from "../../core/text/sanitise.ts";
import { isBeforeConnected } from "../reconnecting.ts";

export type CallFailure =
  /** The token is wrong or was revoked. */
  | { readonly kind: "unauthorised"; readonly words: string }
  /** Somebody else receives this bot's messages: another program, or a webhook. */
  | { readonly kind: "conflict"; readonly by: "poller" | "webhook"; readonly words: string }
  | { readonly kind: "throttled"; readonly afterMs: number; readonly words: string }
  | { readonly kind: "refused"; readonly words: string; readonly movedTo?: string }
  /** No answer that can be read. `isUnsent`: it did not even get the question. */
  | { readonly kind: "unreachable"; readonly words: string; readonly isUnsent: boolean };

const LONGEST_WORDS = 300;
const LONGEST_WAIT_SECONDS = 86_400;

/** A failure that was read already, on its way up. */
export class FailedCall extends Error {
  override readonly name = "FailedCall";
  readonly failure: CallFailure;

  constructor(failure: CallFailure) {
    super(failure.words);
    this.failure = failure;
  }
}

export function callFailure(error: unknown): CallFailure {
  if (error instanceof FailedCall) return error.failure;
  const code = field(error, "error_code");
  if (typeof code !== "number") return unreachable(error);
  const description = field(error, "description");
  const words = sanitiseLine(typeof description === "string" ? description : `error ${code}`, LONGEST_WORDS);
  // A token of the wrong shape is no address at Telegram: 404.
  if (code === 401 || code === 404) return { kind: "unauthorised", words };
  if (code === 409) return { kind: "conflict", by: /webhook/i.test(words) ? "webhook" : "poller", words };
  if (code === 429) return { kind: "throttled", afterMs: waitMs(error), words };
  if (code >= 500) return { kind: "unreachable", words, isUnsent: false };
  const movedTo = parameter(error, "migrate_to_chat_id");
  return Number.isSafeInteger(movedTo)
    ? { kind: "refused", words, movedTo: String(movedTo) }
    : { kind: "refused", words };
}

function unreachable(error: unknown): CallFailure {
  const cause = field(error, "error") ?? error;
  const code = field(cause, "code");
  const type = field(cause, "type");
  if (typeof code === "string" && /^[A-Z][A-Z_0-9]+$/.test(code))
    return { kind: "unreachable", words: code, isUnsent: isBeforeConnected(code) };
  if (type === "invalid-json")
    return { kind: "unreachable", words: "an answer that is no JSON", isUnsent: false };
  return { kind: "unreachable", words: "no answer", isUnsent: false };
}

function waitMs(error: unknown): number {
  const seconds = parameter(error, "retry_after");
  const isUsable = typeof seconds === "number" && seconds > 0;
  return 1_000 * (isUsable ? Math.min(seconds, LONGEST_WAIT_SECONDS) : 1);
}

function parameter(error: unknown, name: string): unknown {
  return field(field(error, "parameters"), name);
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
