/** Why a call of the Web API failed, in words that may be shown: never the library's own, which can hold addresses. */
import { sanitiseLine } from "../../core/text/sanitise.ts";
import { own, textIn } from "../fields.ts";
import { isBeforeConnected } from "../reconnecting.ts";

export type CallFailure =
  /** The token is wrong or was revoked. */
  | { readonly kind: "unauthorised"; readonly words: string }
  | { readonly kind: "throttled"; readonly afterMs: number; readonly words: string }
  /** `code` is Slack's word for it. */
  | { readonly kind: "refused"; readonly code: string; readonly words: string }
  /** No answer that can be read. `isUnsent`: it did not even get the question. */
  | { readonly kind: "unreachable"; readonly words: string; readonly isUnsent: boolean };

const LONGEST_WORDS = 300;
const LONGEST_WAIT_SECONDS = 86_400;
const UNSTATED_WAIT_SECONDS = 30;
const UNAUTHORISED: ReadonlySet<string> = new Set([
  "invalid_auth",
  "not_authed",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "org_login_required",
  "not_allowed_token_type",
  "user_removed_from_team",
  "team_disabled",
  "ekm_access_denied",
]);
/** Slack's own trouble; it may have done what it was asked nevertheless. */
const TROUBLE: ReadonlySet<string> = new Set([
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
  "accesslimited",
]);
const THROTTLED: ReadonlySet<string> = new Set(["ratelimited", "rate_limited", "message_limit_exceeded"]);

export function callFailure(error: unknown): CallFailure {
  switch (own(error, "code")) {
    case "slack_webapi_platform_error":
      return answered(own(error, "data"));
    case "slack_webapi_rate_limited_error":
      return throttled(own(error, "retryAfter"), "ratelimited");
    case "slack_webapi_http_error":
      return status(own(error, "statusCode"));
    default:
      return unreachable(error);
  }
}

function answered(data: unknown): CallFailure {
  const code = textIn(data, "error") ?? "";
  // What is no JSON is taken for the name of an error by the library.
  if (!/^[a-z][a-z0-9_]{0,99}$/.test(code))
    return { kind: "unreachable", words: "an answer that cannot be read", isUnsent: false };
  const words = sanitiseLine([code, ...details(data)].join(": "), LONGEST_WORDS);
  if (UNAUTHORISED.has(code)) return { kind: "unauthorised", words };
  if (THROTTLED.has(code)) return throttled(own(own(data, "response_metadata"), "retryAfter"), words);
  if (TROUBLE.has(code)) return { kind: "unreachable", words, isUnsent: false };
  return { kind: "refused", code, words };
}

/** What Slack adds to the name of an error. */
function details(data: unknown): readonly string[] {
  const needed = textIn(data, "needed");
  const messages = own(own(data, "response_metadata"), "messages");
  const told = Array.isArray(messages)
    ? messages
        .slice(0, 3)
        .flatMap((one: unknown) => (typeof one === "string" ? [one.replace(/^\[\w+\]\s*/, "")] : []))
    : [];
  return needed === undefined ? told : [`it needs the scope ${needed}`, ...told];
}

function throttled(seconds: unknown, words: string): CallFailure {
  const isUsable = typeof seconds === "number" && seconds > 0;
  const wait = isUsable ? Math.min(seconds, LONGEST_WAIT_SECONDS) : UNSTATED_WAIT_SECONDS;
  return { kind: "throttled", afterMs: wait * 1_000, words };
}

function status(code: unknown): CallFailure {
  return {
    kind: "unreachable",
    words: `HTTP status ${typeof code === "number" ? code : "unknown"}`,
    isUnsent: false,
  };
}

function unreachable(error: unknown): CallFailure {
  const original = own(error, "original") ?? error;
  const code = own(own(original, "cause"), "code") ?? own(original, "code");
  if (typeof code === "string" && /^[A-Z][A-Z_0-9]+$/.test(code))
    return { kind: "unreachable", words: code, isUnsent: isBeforeConnected(code) };
  return { kind: "unreachable", words: "no answer", isUnsent: false };
}
