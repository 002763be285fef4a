import { describe, expect, it } from "vitest";
import { checkSlackSettings } from "./config.ts";

const appToken = "xapp-1-A012-3-abc";
const botToken = "xoxb-1-2-abc";

describe("the settings of Slack", () => {
  it("are two tokens, a word for the workspace and an address", () => {
    expect(checkSlackSettings({ appToken: `${appToken}\n`, botToken: ` ${botToken}` })).toEqual({
      appToken,
      botToken,
    });
    const more = { workspace: "acme", apiUrl: "http://127.0.0.1:1/api" };
    expect(checkSlackSettings({ appToken, botToken, ...more })).toMatchObject({
      workspace: "acme",
      apiUrl: "http://127.0.0.1:1/api/",
    });
  });

  it.each(["", "token", botToken, "xapp-", "xapp-a b", `xapp-${"x".repeat(300)}`])(
    "refuse what is no app-level token, without repeating it: %j",
    (wrong) => {
      expect(() => checkSlackSettings({ appToken: wrong, botToken })).toThrow(
        /^This is not an app-level token of Slack: those begin with "xapp-"\.$/,
      );
    },
  );

  it.each(["", appToken, "xoxp-1-2", "xoxb-a/b"])("refuse what is no bot's token: %j", (wrong) => {
    expect(() => checkSlackSettings({ appToken, botToken: wrong })).toThrow(
      /^This is not the token of a Slack bot: those begin with "xoxb-"\.$/,
    );
  });

  it.each(["", "a/b", "*", "#x", " a", "x".repeat(65)])(
    "refuse what is no word for a path: %j",
    (workspace) => {
      expect(() => checkSlackSettings({ appToken, botToken, workspace })).toThrow(
        /^bridges\.slack\.workspace/,
      );
    },
  );

  it.each(["", "slack.com", "ftp://host", "https://user:secret@host", "https://host/?a=b"])(
    "refuse what is no server: %j",
    (apiUrl) => {
      expect(() => checkSlackSettings({ appToken, botToken, apiUrl })).toThrow(/^bridges\.slack\.api_url/);
    },
  );
});
