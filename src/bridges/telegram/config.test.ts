import { describe, expect, it } from "vitest";
import { botIdOf, checkTelegramSettings } from "./config.ts";

const token = "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11";

describe("the settings of Telegram", () => {
  it("are a token, and an address without the slash at its end", () => {
    expect(checkTelegramSettings({ token: `${token}\n` })).toEqual({ token });
    expect(checkTelegramSettings({ token, apiRoot: "http://127.0.0.1:8081/" }).apiRoot).toBe(
      "http://127.0.0.1:8081",
    );
    expect(botIdOf({ token })).toBe("123456");
  });

  it.each(["", "token", "0:abc", "123456", "123456:a/b", "123456:a b", `1:${"x".repeat(200)}`])(
    "refuse what is no token, without repeating it: %j",
    (wrong) => {
      expect(() => checkTelegramSettings({ token: wrong })).toThrow(
        /^This is not the token of a Telegram bot/,
      );
    },
  );

  it.each(["", "api.telegram.org", "ftp://host", "https://user:secret@host", "https://host/?a=b"])(
    "refuse what is no server: %j",
    (apiRoot) => {
      expect(() => checkTelegramSettings({ token, apiRoot })).toThrow(
        /api_root must be the address of a server/,
      );
    },
  );
});
