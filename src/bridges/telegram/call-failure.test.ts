import { describe, expect, it } from "vitest";
import { callFailure } from "./call-failure.ts";

const answered = (error_code: number, description: string, parameters = {}) =>
  Object.assign(new Error("Call failed!"), { error_code, description, parameters });
const SECRET = "7000000001:secret";
const network = (cause: object) =>
  Object.assign(new Error("Network request failed!"), {
    error: Object.assign(new Error(`request to https://host/bot${SECRET}/getMe failed`), cause),
  });

describe("a failed call of Telegram", () => {
  it.each([
    [answered(401, "Unauthorized"), { kind: "unauthorised" }],
    [answered(404, "Not Found"), { kind: "unauthorised" }],
    [answered(409, "Conflict: terminated by other getUpdates request"), { kind: "conflict", by: "poller" }],
    [answered(409, "Conflict: can't use getUpdates method while webhook is active"), { by: "webhook" }],
    [answered(429, "Too Many Requests", { retry_after: 5 }), { kind: "throttled", afterMs: 5_000 }],
    [answered(429, "Too Many Requests", { retry_after: -1 }), { kind: "throttled", afterMs: 1_000 }],
    [answered(429, "Too Many Requests", { retry_after: 1e12 }), { kind: "throttled", afterMs: 86_400_000 }],
    [answered(429, "Too Many Requests"), { kind: "throttled", afterMs: 1_000 }],
    [answered(400, "Bad Request: chat not found"), { kind: "refused", words: "Bad Request: chat not found" }],
    [answered(400, "moved", { migrate_to_chat_id: -1005 }), { kind: "refused", movedTo: "-1005" }],
    [answered(403, "Forbidden"), { kind: "refused" }],
    [answered(500, "Internal Server Error"), { kind: "unreachable", isUnsent: false }],
    [network({ code: "ECONNREFUSED" }), { kind: "unreachable", words: "ECONNREFUSED", isUnsent: true }],
    [network({ code: "ECONNRESET" }), { kind: "unreachable", words: "ECONNRESET", isUnsent: false }],
    [network({ type: "invalid-json" }), { kind: "unreachable", isUnsent: false }],
    [network({}), { kind: "unreachable", words: "no answer", isUnsent: false }],
    [undefined, { kind: "unreachable", words: "no answer" }],
  ])("is told apart: %s", (error, failure) => {
    expect(callFailure(error)).toMatchObject(failure);
    expect(JSON.stringify(callFailure(error))).not.toContain("secret");
  });

  it("has words for one line of a screen", () => {
    const { words } = callFailure(answered(400, `a\u001b[2Jb\n${"x".repeat(1_000)}`));
    expect(words).toMatch(/^ab x+$/);
    expect(words).toHaveLength(300);
  });
});
