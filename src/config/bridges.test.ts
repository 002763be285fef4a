import { describe, expect, it } from "vitest";
import { problemsOf } from "../../tests/config-problems.ts";
import { parseConfig } from "./config.ts";

const bridgesIn = (text: string) => parseConfig(text, "/home/config.yaml").values.bridges;

describe("bridges in config.yaml", () => {
  it("are none by default", () => {
    expect(bridgesIn("")).toEqual({});
    expect(bridgesIn("bridges:\n")).toEqual({});
  });

  it("are read with their secrets by file or by variable, and ids as texts or numbers", () => {
    const text = `bridges:
  telegram: { token_env: TELEGRAM_TOKEN, api_root: "http://127.0.0.1:1", allow: [42, "7"], chat: 42 }
  slack: { app_token_file: a, bot_token_file: b, workspace: team, allow: [U1] }
  email:
    address: bot@example.org
    authserv_id: mx.example.org
    imap: { host: imap.example.org, secure: true, user: bot, password_env: MAIL, mailbox: Bellhop }
    smtp: { host: smtp.example.org, port: 587, secure: false }
    allow: [me@example.org]
  webhook:
    github: { secret_env: HOOK }
    ci: { kind: token, secret_file: ci }
  imessage: { handles: ["+1 555 1234"], chat_db: chat.db, osascript: stub, poll: 5 }
`;
    const file = (path: string) => ({ kind: "file", path });
    const variable = (name: string) => ({ kind: "environment", name });
    expect(problemsOf(text)).toBe("");
    expect(bridgesIn(text)).toEqual({
      telegram: {
        token: variable("TELEGRAM_TOKEN"),
        apiRoot: "http://127.0.0.1:1",
        allow: ["42", "7"],
        chat: "42",
      },
      slack: { appToken: file("a"), botToken: file("b"), workspace: "team", allow: ["U1"] },
      email: {
        address: "bot@example.org",
        authservId: "mx.example.org",
        imap: {
          host: "imap.example.org",
          secure: true,
          user: "bot",
          password: variable("MAIL"),
          mailbox: "Bellhop",
        },
        smtp: { host: "smtp.example.org", port: 587, secure: false },
        allow: ["me@example.org"],
      },
      webhook: {
        port: 2356,
        services: [
          { name: "github", kind: "github", secret: variable("HOOK") },
          { name: "ci", kind: "token", secret: file("ci") },
        ],
      },
      imessage: {
        handles: ["+1 555 1234"],
        allow: [],
        sms: false,
        chatDb: "chat.db",
        osascript: "stub",
        pollSeconds: 5,
      },
    });
  });

  it.each<[string, string, string]>([
    ["an unknown one", "bridges: { telegrm: {} }", 'unknown key "bridges.telegrm": did you mean "telegram"?'],
    [
      "a secret in the file itself",
      'bridges: { telegram: { token: "1:a" } }',
      'unknown key "bridges.telegram.token"',
    ],
    [
      "no secret",
      "bridges: { telegram: {} }",
      "give either token_file, a file that only you may read, or token_env",
    ],
    [
      "a chat that is no number",
      "bridges: { telegram: { token_env: A, chat: xx } }",
      'bridges.telegram.chat: expected the number of your own chat with the bot, such as 42, found "xx"',
    ],
    [
      "a channel that Telegram cannot have",
      "person: { channels: [telegram/abc] }",
      'person.channels: expected a place such as telegram/42, found "telegram/abc"',
    ],
    [
      "a channel without a member",
      "person: { channels: [telegram/42, slack/x] }",
      'person.channels: expected a place such as slack/team/@U0ADA, found "slack/x"',
    ],
    [
      "a channel of no bridge",
      "person: { channels: [foo/1] }",
      "person.channels: expected a place such as telegram/42, slack/team/@U0ADA, email/",
    ],
    ["two secrets", "bridges: { telegram: { token_file: a, token_env: B } }", "give either token_file"],
    ["a variable that is none", 'bridges: { telegram: { token_env: "a b" } }', "not the name of a variable"],
    ["mail without a server", "bridges: { email: { address: a@b } }", "bridges.email.imap is missing"],
    [
      "a word for secure",
      "bridges: { email: { address: a, imap: { secure: tls }, smtp: {} } }",
      "expected true or false",
    ],
    [
      "a service that cannot be a path",
      'bridges: { webhook: { "a/b": { secret_env: X } } }',
      '"a/b" must match',
    ],
    [
      "an unknown kind",
      "bridges: { webhook: { x: { kind: githb, secret_env: X } } }",
      'did you mean "github"?',
    ],
    ["no service but a port", "bridges: { webhook: { port: 99999 } }", "a number from 0 to 65535"],
  ])("are refused with %s", (_, text, problem) => {
    expect(problemsOf(text)).toContain(problem);
  });
});
