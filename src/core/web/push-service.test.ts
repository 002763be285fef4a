import { describe, expect, it } from "vitest";
import { insteadOfPushService, PUSH, pushServiceOf } from "./push-service.ts";

describe("where notifications are sent", () => {
  it.each([
    ["https://fcm.googleapis.com/fcm/send/abc:def", "fcm.googleapis.com"],
    ["https://updates.push.services.mozilla.com/wpush/v2/abc", "updates.push.services.mozilla.com"],
    ["https://web.push.apple.com/abc", "web.push.apple.com"],
    ["https://wns2-am3p.notify.windows.com/w/?token=abc", "wns2-am3p.notify.windows.com"],
    ["https://FCM.googleapis.com:443/x", "fcm.googleapis.com"],
    ["https://push.example.org:8443/up", "push.example.org:8443"],
  ])("%s", (endpoint, host) => {
    expect(pushServiceOf(endpoint, ["push.example.org:8443"])).toBe(host);
  });

  it.each([
    "http://fcm.googleapis.com/x",
    "https://fcm.googleapis.com:8443/x",
    "https://fcm.googleapis.com.evil.example/x",
    "https://evil.example/fcm.googleapis.com",
    "https://fcm.googleapis.com@evil.example/x",
    "https://user:word@fcm.googleapis.com/x",
    "https://push.apple.com/x",
    "https://evilpush.apple.com/x",
    "https://.push.apple.com/x",
    "https://a..push.apple.com/x",
    "https://127.0.0.1:2355/x",
    "https://localhost/x",
    "https://[::1]/x",
    "https://push.example.org/x",
    "https://fcm.googleapis.com./x",
    "file:///etc/passwd",
    "//fcm.googleapis.com/x",
    "",
    `https://fcm.googleapis.com/${"x".repeat(PUSH.endpointCharacters)}`,
  ])("not %s", (endpoint) => {
    expect(pushServiceOf(endpoint, ["push.example.org:8443"])).toBeUndefined();
  });

  it("does not mind the port that https has anyway", () => {
    expect(pushServiceOf("https://push.example.org/up", ["push.example.org:443"])).toBe("push.example.org");
    expect(pushServiceOf("https://push.example.org:444/up", ["push.example.org:443"])).toBeUndefined();
  });

  it.each(["push.example.org", "push.example.org:8443", "localhost:8443"])("%s may be one's own", (text) => {
    expect(insteadOfPushService(text)).toBeUndefined();
  });

  it.each(["https://push.example.org", "*.example.org", "*", "a b", "push.example.org/", "A.example", "x:0"])(
    "%s may not",
    (text) => {
      expect(insteadOfPushService(text)).toContain("a host name");
    },
  );
});
