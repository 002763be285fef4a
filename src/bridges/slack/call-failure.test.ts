import { describe, expect, it } from "vitest";
import { callFailure } from "./call-failure.ts";

const answered = (error: unknown, more = {}) =>
  Object.assign(new Error("An API error occurred"), {
    code: "slack_webapi_platform_error",
    data: { ok: false, error, ...more },
  });
const request = (cause: unknown) =>
  Object.assign(new Error("A request error occurred: secret"), {
    code: "slack_webapi_request_error",
    original: Object.assign(new TypeError("fetch failed"), { cause }),
  });
const limited = (retryAfter: unknown) =>
  Object.assign(new Error("limited"), { code: "slack_webapi_rate_limited_error", retryAfter });

describe("a failed call of Slack", () => {
  it.each([
    [answered("invalid_auth"), { kind: "unauthorised", words: "invalid_auth" }],
    [
      answered("channel_not_found"),
      { kind: "refused", code: "channel_not_found", words: "channel_not_found" },
    ],
    [
      answered("missing_scope", { needed: "chat:write" }),
      { kind: "refused", words: "missing_scope: it needs the scope chat:write" },
    ],
    [
      answered("invalid_arguments", { response_metadata: { messages: ["[ERROR] no such field", 5] } }),
      { kind: "refused", words: "invalid_arguments: no such field" },
    ],
    [answered("ratelimited"), { kind: "throttled", afterMs: 30_000 }],
    [answered("fatal_error"), { kind: "unreachable", isUnsent: false }],
    [answered("<html>"), { kind: "unreachable", words: "an answer that cannot be read" }],
    [answered(undefined), { kind: "unreachable" }],
    [limited(5), { kind: "throttled", afterMs: 5_000 }],
    [limited(-1), { kind: "throttled", afterMs: 30_000 }],
    [limited(1e12), { kind: "throttled", afterMs: 86_400_000 }],
    [
      { code: "slack_webapi_http_error", statusCode: 503 },
      { kind: "unreachable", words: "HTTP status 503" },
    ],
    [request({ code: "ECONNREFUSED" }), { kind: "unreachable", words: "ECONNREFUSED", isUnsent: true }],
    [request({ code: "UND_ERR_SOCKET" }), { kind: "unreachable", isUnsent: false }],
    [request({ code: "lower case" }), { kind: "unreachable", words: "no answer", isUnsent: false }],
    [undefined, { kind: "unreachable", words: "no answer" }],
  ])("is told apart: %s", (error, failure) => {
    expect(callFailure(error)).toMatchObject(failure);
    expect(JSON.stringify(callFailure(error))).not.toContain("secret");
  });

  it("has words for one line of a screen", () => {
    const messages = [`a\u001b[2Jb\n${"x".repeat(1_000)}`];
    const { words } = callFailure(answered("invalid_arguments", { response_metadata: { messages } }));
    expect(words).toMatch(/^invalid_arguments: ab x+$/);
    expect(words).toHaveLength(300);
  });
});
