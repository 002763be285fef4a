import { describe, expect, it } from "vitest";
import { type EmailConfig, emailSettings } from "./config.ts";

const LOGIN = { user: "bot", password: "hunter2" };
const CONFIG: EmailConfig = {
  address: "Bot@Example.com",
  authservId: "mx.example.com",
  imap: { host: "imap.example.com", ...LOGIN },
  smtp: { host: "smtp.example.com" },
};

describe("settings", () => {
  it("speak TLS unless told otherwise, and log in to both servers alike", () => {
    expect(emailSettings(CONFIG)).toEqual({
      address: "bot@example.com",
      authservId: "mx.example.com",
      imap: { host: "imap.example.com", port: 993, security: "tls", ...LOGIN, mailbox: "INBOX" },
      smtp: { host: "smtp.example.com", port: 465, security: "tls", ...LOGIN },
    });
  });

  it.each([
    [{ host: "a.example" }, "tls", 465],
    [{ host: "a.example", port: 587 }, "starttls", 587],
    [{ host: "a.example", secure: false }, "starttls", 587],
    [{ host: "a.example", port: 2525, secure: true }, "tls", 2525],
    [{ host: "a.example", port: 25, secure: "plain" }, "plain", 25],
    [{ host: "127.0.0.1", port: 2525, secure: "starttls" }, "starttls", 2525],
    [{ host: "a.example", port: 2525, secure: "tls" }, "tls", 2525],
    [{ host: "127.0.0.1", port: 2525 }, "plain", 2525],
    [{ host: "127.0.0.1" }, "tls", 465],
    [{ host: "localhost", secure: false }, "plain", 587],
    [{ host: "::1", port: 2525, secure: true }, "tls", 2525],
    [{ host: "127.0.0.1.evil.example", secure: false }, "starttls", 587],
    [{ host: "10.0.0.1", port: 25 }, "starttls", 25],
  ] as const)(
    "send a password in the open only on this machine or if told so: %o",
    (smtp, security, port) => {
      expect(emailSettings({ ...CONFIG, smtp }).smtp).toMatchObject({ security, port });
    },
  );

  it.each<readonly [string, EmailConfig]>([
    ["address", { ...CONFIG, address: "bot" }],
    ["authserv_id", { ...CONFIG, authservId: "" }],
    ["authserv_id", { ...CONFIG, authservId: "two words" }],
    ["authserv_id", { ...CONFIG, authservId: "*" }],
    ["authserv_id", { ...CONFIG, authservId: "*.com" }],
    ["authserv_id", { ...CONFIG, authservId: "*.*.com" }],
    ["imap.host", { ...CONFIG, imap: { ...CONFIG.imap, host: "" } }],
    ["imap.port", { ...CONFIG, imap: { ...CONFIG.imap, port: 70_000 } }],
    ["imap.user", { ...CONFIG, imap: { ...CONFIG.imap, user: "" } }],
    ["imap.mailbox", { ...CONFIG, imap: { ...CONFIG.imap, mailbox: "" } }],
    ["smtp.password", { ...CONFIG, smtp: { ...CONFIG.smtp, password: "two\nlines" } }],
  ])("that cannot work name the key: %s", (key, config) => {
    expect(() => emailSettings(config)).toThrow(`bridges.email.${key}:`);
  });

  it("may name all servers of a provider", () => {
    expect(emailSettings({ ...CONFIG, authservId: "*.example.net" }).authservId).toBe("*.example.net");
  });

  it("never repeat a password", () => {
    try {
      emailSettings({ ...CONFIG, imap: { ...CONFIG.imap, password: "hunter2\n" } });
      expect.unreachable();
    } catch (error) {
      expect(JSON.stringify(error) + String(error)).not.toContain("hunter2");
    }
  });
});
